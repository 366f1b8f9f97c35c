import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

private typealias Machine = WriteSocketStateMachine

private func value(_ attribute: Int, _ length: Int = 20, of user: Int = 1, response: Bool = false)
    -> Machine.Value
{
    Machine.Value(lease: user, attribute: attribute, length: length, isCommand: !response)
}

extension WriteSocketStateMachine {
    /// Returns a machine in which user 1 writes to attribute 7 through a socket for 100 bytes.
    fileprivate static func open() -> WriteSocketStateMachine {
        var machine = WriteSocketStateMachine(longestValue: 512)
        _ = machine.route(of: value(7))
        _ = machine.route(of: value(7))
        _ = machine.acquired(value(7), limit: 100)
        return machine
    }
}

@Suite("The route of writes without response")
struct WriteSocketStateMachineTests {
    @Test("The second consecutive write acquires a socket, and all following ones use it")
    func acquiring() {
        var machine = Machine(longestValue: 512)
        #expect(machine.route(of: value(7)) == Machine.Decision(route: .call))
        #expect(machine.route(of: value(7)) == Machine.Decision(route: .acquire))
        #expect(machine.acquired(value(7), limit: 100) == .socket)
        #expect(machine.route(of: value(7)) == Machine.Decision(route: .socket))
        let through = machine.continuesThroughSocket(7, 1, length: 100)
        #expect(through)
    }

    @Test("A refused socket applies to the whole link, and the values are sent by calls")
    func refused() {
        var machine = Machine(longestValue: 512)
        _ = machine.route(of: value(7))
        _ = machine.route(of: value(7))
        #expect(machine.acquired(value(7), limit: nil) == .call)
        for _ in 1...100 { #expect(machine.route(of: value(7)) == Machine.Decision(route: .call)) }
        machine.linkEnded()
        _ = machine.route(of: value(7))
        #expect(machine.route(of: value(7)) == Machine.Decision(route: .acquire))
    }

    @Test(
        "An empty or overlong value releases the socket",
        .pitfall(.acquiredWrite),
        arguments: [0, 101]
    )
    func lengths(length: Int) {
        var machine = Machine.open()
        let through = machine.continuesThroughSocket(7, 1, length: length)
        #expect(!through)
        #expect(machine.route(of: value(7, length)) == Machine.Decision(route: .release))
        #expect(machine.route(of: value(7)) == Machine.Decision(route: .call))
        #expect(machine.route(of: value(7)) == Machine.Decision(route: .acquire))
    }

    @Test("bluetoothd reads at most 512 bytes of a packet", .pitfall(.acquiredWrite))
    func longest() {
        var machine = Machine(longestValue: 512)
        _ = machine.route(of: value(7))
        _ = machine.route(of: value(7))
        #expect(machine.acquired(value(7, 512), limit: 514) == .socket)
        #expect(machine.route(of: value(7, 513)) == Machine.Decision(route: .release))
    }

    @Test(
        "A write with response releases the socket; after a short streak the next one must be longer",
        .pitfall(.acquiredWrite)
    )
    func response() {
        var machine = Machine.open()
        for needed in [4, 8, 16, 32, 64, 64] {
            #expect(
                machine.route(of: value(7, response: true)) == Machine.Decision(route: .release)
            )
            for _ in 1..<needed {
                #expect(machine.route(of: value(7)) == Machine.Decision(route: .call))
            }
            #expect(machine.route(of: value(7)) == Machine.Decision(route: .acquire))
            _ = machine.acquired(value(7), limit: 100)
            // A row counts from its first value, whether a call sent it or not.
            if needed == 64 { return }
        }
    }

    @Test("After a long streak two values are sufficient again")
    func longRow() {
        var machine = Machine.open()
        for _ in 1...Machine.maximumStreak { _ = machine.continuesThroughSocket(7, 1, length: 20) }
        #expect(machine.route(of: value(7, response: true)) == Machine.Decision(route: .release))
        _ = machine.route(of: value(7))
        #expect(machine.route(of: value(7)) == Machine.Decision(route: .acquire))
    }

    @Test("A write to another characteristic releases the socket of the first one")
    func switching() {
        var machine = Machine.open()
        #expect(machine.route(of: value(8)) == Machine.Decision(route: .call, releasedAttribute: 7))
        #expect(machine.route(of: value(8)) == Machine.Decision(route: .acquire))
        _ = machine.acquired(value(8), limit: 100)
        #expect(machine.route(of: value(7)) == Machine.Decision(route: .call, releasedAttribute: 8))
        let through = machine.continuesThroughSocket(8, 1, length: 20)
        #expect(!through)
    }

    @Test("Writes of another user to another characteristic do not keep a socket")
    func users() {
        var machine = Machine.open()
        #expect(machine.route(of: value(8, of: 2)) == Machine.Decision(route: .call))
        #expect(machine.route(of: value(8, of: 2)) == Machine.Decision(route: .acquire))
        #expect(machine.route(of: value(7)) == Machine.Decision(route: .socket))
        // Later users share the socket.
        #expect(machine.route(of: value(7, of: 3)) == Machine.Decision(route: .socket))
    }

    @Test("A user that declines sockets acquires none, and uses an existing one")
    func unwilling() {
        var machine = Machine(longestValue: 512)
        machine.setAllowsSockets(false, 1)
        for _ in 1...5 { #expect(machine.route(of: value(7)) == Machine.Decision(route: .call)) }
        machine = .open()
        machine.setAllowsSockets(false, 2)
        #expect(machine.route(of: value(7, of: 2)) == Machine.Decision(route: .socket))
        machine.setAllowsSockets(true, 2)
    }

    @Test("A socket that was closed by bluetoothd is not acquired again; one that was idle is")
    func ends() {
        var machine = Machine.open()
        machine.idled(7)
        #expect(machine.route(of: value(7)) == Machine.Decision(route: .call))
        #expect(machine.route(of: value(7)) == Machine.Decision(route: .acquire))
        _ = machine.acquired(value(7), limit: 100)
        machine.hungUp(7)
        for _ in 1...9 { #expect(machine.route(of: value(7)) == Machine.Decision(route: .call)) }
    }

    @Test(
        "In random sequences, each value is sent once, in order, and by no call beside a socket",
        arguments: 1...200 as ClosedRange<UInt64>
    )
    func conservation(seed: UInt64) {
        var model = Daemon(seed: seed)
        for _ in 1...400 { model.step() }
        model.settle()
        for user in 1...3 {
            #expect(model.arrived[user] == model.written[user], "seed \(seed)")
        }
        #expect(model.violations.isEmpty, "seed \(seed)")
    }
}

/// bluetoothd with its sockets, and users that write one value after the other.
private struct Daemon {
    var machine = Machine(longestValue: 512)
    var arrived: [Int: [Int]] = [:]
    var written: [Int: [Int]] = [:]
    var violations: [String] = []
    private var generator: SeededGenerator
    /// The unread values with their users; `nil` without a socket.
    private var sockets: [Int: [(user: Int, value: Int)]] = [:]
    private var last = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func step() {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: readSome()
        case 1: if let one = sockets.keys.sorted().first { close(one) { $0.hungUp(one) } }
        case 2: if let one = sockets.keys.sorted().last { close(one) { $0.idled(one) } }
        case 3:
            for one in sockets.keys.sorted() { close(one) { _ in } }
            machine.linkEnded()
        default: write()
        }
    }

    mutating func settle() {
        for attribute in sockets.keys { read(attribute) }
    }

    private mutating func write() {
        let user = Int.random(in: 1...3, using: &generator)
        let attribute = Int.random(in: 0..<4, using: &generator) == 0 ? 8 : 7
        let one = value(
            attribute,
            [0, 20, 100, 101][Int.random(in: 0..<4, using: &generator)],
            of: user,
            response: Int.random(in: 0..<10, using: &generator) == 0
        )
        last += 1
        written[user, default: []].append(last)
        if one.isCommand, machine.continuesThroughSocket(attribute, user, length: one.length) {
            waitForOthers(user, attribute)
            return packet(one)
        }
        let decision = machine.route(of: one)
        if let released = decision.releasedAttribute {
            read(released)
            sockets[released] = nil
        }
        perform(decision.route, one)
    }

    private mutating func perform(_ route: Machine.WriteRoute, _ one: Machine.Value) {
        waitForOthers(one.lease, one.attribute)
        switch route {
        case .socket: packet(one)
        case .call: call(one)
        case .release:
            read(one.attribute)
            sockets[one.attribute] = nil
            call(one)
        case .acquire:
            let isAcquired = Int.random(in: 0..<4, using: &generator) > 0
            if isAcquired {
                if sockets[one.attribute] != nil { violations.append("two sockets") }
                sockets[one.attribute] = []
            }
            perform(machine.acquired(one, limit: isAcquired ? 100 : nil), one)
        }
    }

    private mutating func packet(_ one: Machine.Value) {
        guard sockets[one.attribute] != nil, (1...100).contains(one.length), one.isCommand else {
            return violations.append("\(one) as a packet")
        }
        sockets[one.attribute]?.append((one.lease, last))
    }

    private mutating func call(_ one: Machine.Value) {
        if sockets[one.attribute] != nil { violations.append("\(one) beside a socket") }
        arrived[one.lease, default: []].append(last)
    }

    /// Delivers the values of the user in other sockets first, as the runner does.
    private mutating func waitForOthers(_ user: Int, _ own: Int) {
        for (attribute, values) in sockets
        where attribute != own && values.contains(where: { $0.user == user }) {
            read(attribute)
        }
    }

    private mutating func readSome() {
        for attribute in sockets.keys.sorted() where !(sockets[attribute] ?? []).isEmpty {
            if let first = sockets[attribute]?.removeFirst() {
                arrived[first.user, default: []].append(first.value)
            }
        }
    }

    private mutating func read(_ attribute: Int) {
        for one in sockets[attribute] ?? [] { arrived[one.user, default: []].append(one.value) }
        if sockets[attribute] != nil { sockets[attribute] = [] }
    }

    private mutating func close(_ attribute: Int, _ report: (inout Machine) -> Void) {
        read(attribute)
        sockets[attribute] = nil
        report(&machine)
    }
}
