import BluejaySimulator

/// The vocabulary of strangers for one product.
struct StrangerVocabulary: Swift.Sendable {
    /// The characteristics that a central uses.
    var served: [String] = []
    /// The number of centrals.
    var centralCount = 0
    /// The characteristics of the devices.
    var owned: [String] = []
    /// The number of devices.
    var deviceCount = 0
    /// The channels that users listen on.
    var psms: [UInt16] = []
    /// Values that strangers know, beside random bytes.
    var values: [[UInt8]] = []
    /// The characteristic of a served value whose writes the users check.
    var numbered: String?
    /// The characteristic of a device whose values the users check.
    var numberedOfDevice: String?
    /// Whether devices answer the writes of users with known values.
    var answersWrites = false
}

extension Dice {
    mutating func stranger(_ words: StrangerVocabulary) -> StrangerAction {
        let isCentral =
            words.deviceCount == 0 || (words.centralCount > 0 && happens(1, of: 2))
        return isCentral ? central(words) : device(words)
    }

    private mutating func value(_ words: StrangerVocabulary) -> [UInt8] {
        guard !words.values.isEmpty, happens(1, of: 2) else { return bytes(upTo: 512) }
        var value = element(words.values)
        // A damaged known value reaches further than random bytes.
        for _ in 0..<below(3) where !value.isEmpty { value[below(value.count)] = UInt8(below(256)) }
        if happens(1, of: 4) { value.removeLast(below(value.count + 1)) }
        return value
    }

    private mutating func central(_ words: StrangerVocabulary) -> StrangerAction {
        let number = below(words.centralCount)
        if let name = words.numbered, happens(1, of: 4) {
            return .centralWritesNumbers(number, count: 1 + below(4), to: name)
        }
        return pick([
            (12, .centralPlays(number, centralSteps(words))), (1, .centralLeaves(number)),
            (1, .centralReturns(number)),
            (2, .centralAccepts(number, values: happens(1, of: 2))),
        ])
    }

    private mutating func centralSteps(_ words: StrangerVocabulary) -> [CentralStep] {
        var steps: [CentralStep] = [.connectTo(adapter: 0, within: .seconds(5))]
        for _ in 0..<1 + below(6) {
            let name = element(words.served)
            let write: CentralWrite = pick([
                (3, .withResponse), (2, .withoutResponse), (1, .long),
            ])
            let subscription: CentralSubscription = pick([
                (3, .notificationsFirst), (1, .indications),
            ])
            steps.append(
                pick([
                    (6, .write(name, value(words), write)), (6, .subscribe(name, subscription)),
                    (2, .unsubscribe(name)), (3, .read(name)),
                    (1, .prepare(name, value(words), offset: below(600))), (1, .execute),
                    (1, .cancelPrepared), (1, .disconnect), (1, .loseLink),
                    (1, .wait(milliseconds(upTo: 2_000))),
                ])
            )
        }
        return steps
    }

    private mutating func device(_ words: StrangerVocabulary) -> StrangerAction {
        let number = below(words.deviceCount)
        let name = element(words.owned)
        if let name = words.numberedOfDevice, happens(1, of: 4) {
            return .deviceSendsNumbers(number, count: 1 + below(4), on: name)
        }
        if words.answersWrites, happens(1, of: 3) {
            let answers = (0..<1 + below(3)).map { _ in value(words) }
            return .deviceAnswersWrites(number, answers, on: name)
        }
        let channel: ScriptedChannel = pick([
            (2, .echo), (1, .sink), (1, .neverReads), (2, .source([value(words), value(words)])),
            (1, .closes(afterBytes: below(100))), (1, .goesAway(afterBytes: below(100))),
        ])
        return pick([
            (12, .deviceSends(number, value(words), on: name)), (4, .deviceDropsLink(number)),
            (1, .deviceLeaves(number)), (2, .deviceReturns(number)),
            (1, .deviceStopsResponding(number)), (2, .deviceChangesServices(number)),
            (5, .deviceBehaves(number, behavior(words), of: name)),
            words.psms.isEmpty
                ? (1, .deviceDropsLink(number))
                : (5, .deviceOpensChannel(number, psm: element(words.psms), channel)),
        ])
    }

    private mutating func behavior(_ words: StrangerVocabulary) -> StrangerAction.Behavior {
        pick([
            (5, .returns(value(words))), (2, .echoes), (2, .refuses(UInt8(1 + below(255)))),
            (1, .neverReplies), (1, .disconnects), (2, .repliesLate(value(words))),
        ])
    }

    /// Returns no to three faults of the world or of calls of these methods.
    mutating func faults(of methods: [String], within length: Duration) -> FaultSchedule {
        let count = pick([(4, 0), (4, 1), (2, 2), (1, 3)])
        let events = (0..<count).map { _ in fault(of: methods, within: length) }
        return FaultSchedule(events, seed: UInt32(below(1 << 30)))
    }

    private mutating func fault(of methods: [String], within length: Duration) -> FaultEvent {
        let method = element(methods)
        let ordinal = pick([(5, 1), (3, 2), (2, 3 + below(4))])
        if happens(1, of: 3) {
            let delay = FaultEffect.callDelayed(milliseconds(upTo: 12_000))
            // A registration that bluetoothd does not remove lasts as long as the program.
            if method.hasPrefix("Unregister") {
                return FaultEvent(on: .call(method, ordinal: ordinal), delay)
            }
            let refusal = MethodErrors.of(method).randomElement(with: &self)
            let effect: FaultEffect = pick([
                (4, refusal.map { .callRefused($0.name, $0.text) } ?? .callUnanswered),
                (1, .callUnanswered), (3, delay),
            ])
            return FaultEvent(on: .call(method, ordinal: ordinal), effect)
        }
        let signals = ["PropertiesChanged", "InterfacesAdded", "InterfacesRemoved"]
        let trigger: FaultTrigger = pick([
            (3, .time(milliseconds(upTo: 1 + Int(length / .milliseconds(1))))),
            (3, .call(method, ordinal: ordinal)),
            (1, .sent(element(signals), ordinal: 1 + below(12))),
        ])
        let duration = milliseconds(upTo: 8_000)
        let fault: Fault = pick([
            (4, .linkLost(nil, element(SimulatedDisconnectReason.allCases))),
            (2, .deviceLeft(nil)), (1, .deviceSilent(nil)), (2, .servicesChanged(nil)),
            (3, .adapterPowered(0, false)), (1, .adapterUnplugged(0)), (1, .adaptersBlocked(true)),
            (3, .daemonKilled), (2, .daemonTerminated),
            (2, .daemonFrozen(for: milliseconds(upTo: 12_000))), (2, .callsHeld(method)),
        ])
        return FaultEvent(on: trigger, .world(fault), for: duration)
    }
}

extension Array {
    fileprivate func randomElement(with dice: inout Dice) -> Element? {
        isEmpty ? nil : self[dice.below(count)]
    }
}
