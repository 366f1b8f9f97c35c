/// The pending events of a schedule: occurrences in, due events out.
struct FaultTimeline {
    private var pending: [FaultTrigger: [FaultEvent]] = [:]
    private var counts: [FaultTrigger: Int] = [:]
    /// The events with times, and the times after the start.
    let timed: [(time: Duration, event: FaultEvent)]

    init(_ schedule: FaultSchedule) {
        var generator = SplitMix64(seed: UInt64(schedule.seed))
        var timed: [(Duration, FaultEvent)] = []
        for event in schedule.events {
            switch event.trigger {
            case .time(let time): timed.append((time, event))
            case .randomTime(let range):
                let share = Double(generator.next() >> 11) / Double(UInt64(1) << 53)
                timed.append(
                    (range.lowerBound + (range.upperBound - range.lowerBound) * share, event)
                )
            case .call, .sent: pending[event.trigger, default: []].append(event)
            case .value(let uuid, let ordinal):
                let long = UUIDText.long(uuid) ?? uuid
                pending[.value(long, ordinal: ordinal), default: []].append(event)
            }
        }
        self.timed = timed
    }

    /// Counts a call of a method of bluetoothd.
    mutating func called(_ member: String) -> [FaultEvent] {
        due { .call(member, ordinal: $0) }
    }

    /// Counts a message that bluetoothd has sent.
    mutating func sent(_ member: String) -> [FaultEvent] {
        due { .sent(member, ordinal: $0) }
    }

    /// Counts a value of a characteristic, given by its full UUID.
    mutating func valueSent(_ uuid: String) -> [FaultEvent] {
        due { .value(uuid, ordinal: $0) }
    }

    private mutating func due(_ trigger: (Int) -> FaultTrigger) -> [FaultEvent] {
        guard !pending.isEmpty else { return [] }
        let count = counts[trigger(0), default: 0] + 1
        counts[trigger(0)] = count
        return pending.removeValue(forKey: trigger(count)) ?? []
    }
}

/// The generator SplitMix64, which gives equal numbers for equal seeds on every machine.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = state
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }
}
