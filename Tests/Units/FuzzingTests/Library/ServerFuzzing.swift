import BluejayCore
import Foundation

@testable import BluejayBlueZ
@testable import BluejayGATTServer
@testable import BluejaySimulator

/// Feeds the requests of centrals, as bluetoothd passes them on, to the server.
enum ServerFuzzing {
    static func play(_ bytes: Data) throws {
        var input = FuzzInput(bytes)
        switch input.number(below: 4) {
        case 0: try RequestFuzzing.play(&input)
        case 1: try ServedValue.play(&input)
        case 2: try playSubscriptions(&input)
        default: try playPreparedWrites(&input)
        }
    }

    // MARK: Subscriptions

    private typealias Machine = NotifySocketStateMachine<Int>

    /// Plays sockets of subscribers; each value has exactly one outcome.
    private static func playSubscriptions(_ input: inout FuzzInput) throws {
        var machine = Machine()
        var pending: Set<Int> = []
        var sockets: Set<Int> = []
        var value = 0
        var now = Duration.zero
        while !input.isEmpty {
            now += .milliseconds(input.number(below: 16) * 100)
            let socket = input.choice(of: sockets.sorted() + [0])
            var actions: [Machine.Action] = []
            switch input.number(below: 9) {
            case 0:
                let subscription = machine.subscribed(input.number(below: 3), mtu: nil)
                sockets.insert(subscription.number)
                actions = subscription.actions
            case 1:
                let connected = Set((0..<3).filter { _ in input.flag() })
                actions = machine.connectionsChanged(
                    connected,
                    eligibleCentrals: connected.filter { _ in input.flag() },
                    reach: input.flag() ? .oneSubscriber : .allSubscribers,
                    reportsEachSubscriber: input.flag(),
                    at: now
                )
            case 2: actions = machine.socketClosed(socket, at: now)
            case 3: actions = machine.timerFired(at: now)
            case 4: actions = machine.writable(socket)
            case 5:
                let outcomes: [Machine.WriteOutcome] = [.sent, .full, .closed]
                guard machine.nextValue(on: socket) != nil else { continue }
                actions = machine.wrote(socket, input.choice(of: outcomes))
            case 6: if input.number(below: 8) == 0 { actions = machine.lost() }
            default:
                value += 1
                let recipient = input.flag() ? input.number(below: 3) : nil
                guard case .success(let sent) = machine.send(value, to: recipient) else { continue }
                pending.insert(value)
                actions = sent
            }
            try perform(actions, &pending, &sockets)
            try check(machine)
        }
        try perform(machine.lost(), &pending, &sockets)
        try expect(pending.isEmpty, "\(pending) have no outcome")
        try expect(sockets.isEmpty, "\(sockets) stay open")
    }

    private static func perform(
        _ actions: [Machine.Action],
        _ pending: inout Set<Int>,
        _ sockets: inout Set<Int>
    ) throws {
        for action in actions {
            switch action {
            case .finish(let value, _):
                try expect(pending.remove(value) != nil, "value \(value) has two outcomes")
            case .close(let socket):
                // A socket that bluetoothd closed by mistake is closed again with its subscription.
                sockets.remove(socket)
            case .write(let socket), .watch(let socket):
                try expect(sockets.contains(socket), "socket \(socket) is not open")
            case .signal, .notifyChange, .report, .setTimer: break
            }
        }
    }

    private static func check(_ machine: Machine) throws {
        let centrals = machine.subscribers.map(\.central)
        try expect(Set(centrals).count == centrals.count, "\(centrals) have several sockets")
        for subscriber in machine.subscribers {
            try expect(
                subscriber.pendingCount <= Machine.maximumQueuedValueCount,
                "\(subscriber.pendingCount) values wait"
            )
        }
    }

    // MARK: Prepared writes

    private static func playPreparedWrites(_ input: inout FuzzInput) throws {
        var prepared = PreparedWrites()
        while !input.isEmpty {
            let handle = UInt16(input.number(below: 3))
            let refusal = prepared.add(
                handle,
                [UInt8](input.bytes()),
                Int(input.integer(UInt16.self))
            )
            let count = prepared.writes.count
            try expect(count <= PreparedWrites.maximumCount, "\(count) pieces are stored")
            try expect(
                refusal == nil || count == PreparedWrites.maximumCount,
                "a piece is refused after \(count)"
            )
        }
    }
}

/// A value of the server that centrals read in parts and write.
private struct ServedValue {
    /// A read of a whole value in parts.
    private struct LongRead {
        let value: Data
        var part = Data()
        var lastUse = Duration.zero
    }

    private var value = Data()
    private var reads = LongReads<Int>()
    private var open: [Int: LongRead] = [:]
    private var now = Duration.zero

    static func play(_ input: inout FuzzInput) throws {
        var served = ServedValue()
        let mtus = (0..<2).map { _ in 23 + input.number(below: 100) }
        while !input.isEmpty {
            let central = input.number(below: 2)
            served.now += .milliseconds(input.number(below: 10) * 100)
            switch input.number(below: 4) {
            case 0: try served.write(&input)
            case 1: served.value = input.data(of: Int(input.byte()) * 2)
            case 2: served.open[central] = nil
            default: try served.read(central, mtus[central])
            }
            if input.number(below: 32) == 0 {
                served.reads.forget(central)
                served.open[central] = nil
            }
        }
    }

    private mutating func write(_ input: inout FuzzInput) throws {
        let offset = Int(input.integer(UInt16.self)) % 700 - 1
        let bytes = input.data(of: Int(input.byte()) * 3)
        switch AttributeValueRules.value(value, writing: bytes, at: offset) {
        case .changed(let new):
            try expect(new.count <= 512, "the value has \(new.count) bytes")
            try expect(new == value.prefix(offset) + bytes, "\(new) is written at \(offset)")
            value = new
        case .rejected(.invalidOffset):
            try expect(offset < 0 || offset > value.count, "offset \(offset) is refused")
        case .rejected:
            try expect(offset + bytes.count > 512, "\(bytes.count) bytes at \(offset) are refused")
        }
    }

    /// Requests the next part like a central does: until a response is shorter than the MTU allows.
    private mutating func read(_ central: Int, _ mtu: Int) throws {
        // The server keeps the value for five seconds.
        if let read = open[central], now - read.lastUse > .seconds(5) { open[central] = nil }
        let offset = open[central]?.part.count ?? 0
        let kept = reads.value(for: central, offset: offset, at: now)
        let whole = kept ?? value
        guard let rest = AttributeValueRules.part(of: whole, from: offset) else {
            throw Fuzzing.Violation(description: "offset \(offset) of \(whole.count) is refused")
        }
        if kept == nil, offset == 0 { reads.store(whole, for: central, mtu: mtu, at: now) }
        let response = rest.prefix(mtu - 1)
        var read = open[central] ?? LongRead(value: whole)
        read.part += response
        read.lastUse = now
        open[central] = response.count == mtu - 1 ? read : nil
        guard open[central] == nil else { return }
        try expect(read.part == read.value, "\(read.value) is read as \(read.part)")
    }
}
