import BluejayBlueZ
import BluejayCore
import BluejayDBus
import TestTraits
import Testing

private let hci0: ObjectPath = "/org/bluez/hci0"
private let hci1: ObjectPath = "/org/bluez/hci1"

@Suite("The choice of an adapter and its reports")
struct AdapterSelectorTests {
    typealias Action = AdapterSelector.Action

    static let addresses = [hci0: "00:AA:01:00:00:00", hci1: "00:AA:01:01:00:01"]

    /// Returns hci0 and hci1 as bluetoothd reports them, without absent ones.
    static func known(_ zero: AdapterState, _ one: AdapterState) -> [KnownAdapter] {
        [(hci0, zero), (hci1, one)].filter { $0.1 != .absent }.map {
            KnownAdapter(path: $0.0, address: addresses[$0.0], state: $0.1)
        }
    }

    /// Returns a selector that knows these adapters, and is in use or not.
    static func selector(
        _ choice: AdapterChoice = .any,
        _ zero: AdapterState,
        _ one: AdapterState,
        isPinned: Bool = false
    ) -> AdapterSelector {
        var selector = AdapterSelector(choice)
        _ = selector.changed(.running, known(zero, one))
        _ = selector.setPinned(isPinned)
        return selector
    }

    // MARK: One step

    struct Row: Swift.Sendable {
        let rule: String
        var choice: AdapterChoice = .any
        var isPinned = false
        let before: (AdapterState, AdapterState)
        let after: (AdapterState, AdapterState)
        let actions: [Action]
        let adapter: ObjectPath?
        let state: BluetoothState
    }

    static let rows = [
        Row(
            rule: "the lowest powered adapter",
            before: (.off, .off),
            after: (.off, .on),
            actions: [.use(hci1), .report(.poweredOn)],
            adapter: hci1,
            state: .poweredOn
        ),
        Row(
            rule: "the lowest adapter if none is powered",
            before: (.off, .on),
            after: (.blocked, .off),
            actions: [.release(hci1, .blocked), .report(.blocked)],
            adapter: hci0,
            state: .blocked
        ),
        Row(
            rule: "without a pin, a lower adapter that turns on is selected without a report",
            before: (.off, .on),
            after: (.on, .on),
            actions: [.use(hci0)],
            adapter: hci0,
            state: .poweredOn
        ),
        Row(
            rule: "with a pin, a lower adapter that turns on changes nothing",
            isPinned: true,
            before: (.off, .on),
            after: (.on, .on),
            actions: [],
            adapter: hci1,
            state: .poweredOn
        ),
        Row(
            rule:
                "without a pin, the next adapter replaces the one that turns off, without a report",
            before: (.on, .on),
            after: (.off, .on),
            actions: [.release(hci0, .poweredOff), .use(hci1)],
            adapter: hci1,
            state: .poweredOn
        ),
        Row(
            rule:
                "with a pin, the power-off is reported before the next adapter replaces the first",
            isPinned: true,
            before: (.on, .on),
            after: (.off, .on),
            actions: [
                .release(hci0, .poweredOff), .report(.poweredOff), .use(hci1), .report(.poweredOn),
            ],
            adapter: hci1,
            state: .poweredOn
        ),
        Row(
            rule: "with a pin, the unplugging is reported with the name of the adapter",
            isPinned: true,
            before: (.on, .on),
            after: (.absent, .on),
            actions: [
                .release(hci0, .adapterNotFound("hci0")), .report(.adapterNotFound("hci0")),
                .use(hci1), .report(.poweredOn),
            ],
            adapter: hci1,
            state: .poweredOn
        ),
        Row(
            rule: "with a pin, an adapter that turns off stays selected while no other one is on",
            isPinned: true,
            before: (.off, .on),
            after: (.off, .off),
            actions: [.release(hci1, .poweredOff), .report(.poweredOff)],
            adapter: hci1,
            state: .poweredOff
        ),
        Row(
            rule:
                "with a pin on an adapter that is off, the first adapter that turns on is selected",
            isPinned: true,
            before: (.off, .off),
            after: (.off, .on),
            actions: [.use(hci1), .report(.poweredOn)],
            adapter: hci1,
            state: .poweredOn
        ),
        Row(
            rule: "the last adapter is unplugged",
            isPinned: true,
            before: (.on, .absent),
            after: (.absent, .absent),
            actions: [.release(hci0, .noAdapter), .report(.noAdapter)],
            adapter: nil,
            state: .noAdapter
        ),
        Row(
            rule: "a name selects this adapter, on or off",
            choice: .named("hci0"),
            before: (.on, .on),
            after: (.off, .on),
            actions: [.release(hci0, .poweredOff), .report(.poweredOff)],
            adapter: hci0,
            state: .poweredOff
        ),
        Row(
            rule: "an unknown name is reported",
            choice: .named("hci1"),
            isPinned: true,
            before: (.on, .on),
            after: (.on, .absent),
            actions: [.release(hci1, .adapterNotFound("hci1")), .report(.adapterNotFound("hci1"))],
            adapter: nil,
            state: .adapterNotFound("hci1")
        ),
        Row(
            rule: "an address selects this adapter, in either case",
            choice: .named("00:aa:01:01:00:01"),
            before: (.on, .absent),
            after: (.on, .on),
            actions: [.use(hci1), .report(.poweredOn)],
            adapter: hci1,
            state: .poweredOn
        ),
    ]

    @Test("The selector handles one change of the adapters", arguments: rows.indices)
    func step(index: Int) {
        let row = Self.rows[index]
        var selector = Self.selector(
            row.choice,
            row.before.0,
            row.before.1,
            isPinned: row.isPinned
        )
        let actions = selector.changed(.running, Self.known(row.after.0, row.after.1))
        #expect(actions == row.actions, "\(row.rule)")
        #expect(selector.adapter == row.adapter, "\(row.rule)")
        #expect(selector.state == row.state, "\(row.rule)")
    }

    @Test("Removing the pin selects the lowest powered adapter without a report")
    func unpinned() {
        var selector = Self.selector(.any, .off, .on, isPinned: true)
        #expect(selector.changed(.running, Self.known(.on, .on)) == [])
        #expect(selector.setPinned(true) == [])
        #expect(selector.setPinned(false) == [.use(hci0)])
        #expect(selector.setPinned(false) == [])
    }

    @Test("A choice by address follows the adapter to another number", .pitfall(.adapterHotPlug))
    func replugged() {
        let address = "00:AA:01:01:00:01"
        var selector = Self.selector(.named(address), .on, .on, isPinned: true)
        _ = selector.changed(.running, Self.known(.on, .absent))
        #expect(selector.state == .adapterNotFound(address))
        let hci2: ObjectPath = "/org/bluez/hci2"
        let again = KnownAdapter(path: hci2, address: address, state: .on)
        let actions = selector.changed(.running, Self.known(.on, .absent) + [again])
        #expect(actions == [.use(hci2), .report(.poweredOn)])
    }

    // MARK: bluetoothd

    @Test("Availability is unknown before the first reply, and while the adapters are read again")
    func daemon() {
        var selector = AdapterSelector(.any)
        #expect(selector.changed(.connecting, []) == [])
        #expect(!selector.isAvailabilityKnown)
        let actions = selector.changed(.running, Self.known(.on, .off))
        #expect(actions == [.use(hci0), .report(.poweredOn)])
        #expect(selector.isAvailabilityKnown)
        #expect(
            selector.changed(.connecting, []) == [.release(hci0, .resetting), .report(.resetting)]
        )
        #expect(!selector.isAvailabilityKnown)
        #expect(selector.adapter == nil)
    }

    @Test(
        "A lost bluetoothd is reported with its reason, also as the reason of the release",
        arguments: [
            (BlueZClient.State.serviceNotRunning, BluetoothState.serviceNotRunning),
            (.serviceNotResponding, .serviceNotResponding),
            (.busUnavailable("no socket"), .busUnavailable("no socket")),
            (.accessDenied("policy"), .unauthorized("policy")),
        ]
    )
    func unreachable(daemon: BlueZClient.State, told: BluetoothState) {
        var selector = Self.selector(.any, .on, .on, isPinned: true)
        // The former adapter states are void: the daemon has ended.
        let actions = selector.changed(daemon, Self.known(.on, .on))
        #expect(actions == [.release(hci0, told), .report(told)])
        #expect(selector.adapter == nil)
    }

    // MARK: Every order

    /// Returns all ways to merge two scripts, each of which keeps its order.
    static func interleavings<T>(_ left: [T], _ right: [T]) -> [[T]] {
        guard let first = left.first, let other = right.first else { return [left + right] }
        return interleavings(Array(left.dropFirst()), right).map { [first] + $0 }
            + interleavings(left, Array(right.dropFirst())).map { [other] + $0 }
    }

    struct Step: Swift.Sendable {
        let number: Int
        let state: AdapterState
    }

    static let script: [AdapterState] = [.on, .off, .on, .absent, .on]
    static let orders = interleavings(
        script.map { Step(number: 0, state: $0) },
        script.map { Step(number: 1, state: $0) }
    )

    @Test(
        "Choice, state and text are right for any order of power changes and unplugging of two adapters",
        arguments: [AdapterChoice.any, .named("hci1")],
        [false, true]
    )
    func everyOrder(choice: AdapterChoice, isPinned: Bool) {
        #expect(Self.orders.count == 252)
        for order in Self.orders {
            var selector = AdapterSelector(choice)
            _ = selector.setPinned(isPinned)
            var states: [AdapterState] = [.off, .off]
            var told = [BluetoothState.unknown]
            Self.check(&selector, states, &told)
            for step in order {
                states[step.number] = step.state
                Self.check(&selector, states, &told)
            }
        }
    }

    private static func check(
        _ selector: inout AdapterSelector,
        _ states: [AdapterState],
        _ told: inout [BluetoothState]
    ) {
        let used = selector.usableAdapter
        let expected = expectation(selector, states)
        var using = used
        for action in selector.changed(.running, known(states[0], states[1])) {
            switch action {
            case .release(let path, let reason):
                #expect(path == used)
                #expect(states[path == hci0 ? 0 : 1] != .on)
                #expect(!reason.description.contains("Bluetooth is on"))
                using = nil
            case .report(let state):
                #expect(state != told.last)
                #expect((state == .poweredOn) == (using != nil))
                told.append(state)
            case .use(let path):
                #expect(states[path == hci0 ? 0 : 1] == .on)
                // A client that is notified that Bluetooth is on can use it.
                #expect(using != path)
                using = path
            }
        }
        #expect(selector.adapter == expected.adapter, "\(states)")
        #expect(selector.state == expected.state, "\(states)")
        #expect(told.last == expected.state, "\(states)")
        // The actions alone give the same result.
        #expect(using == selector.usableAdapter, "\(states)")
        // A client that used it was notified of the end.
        if selector.isPinned, let used, used != selector.usableAdapter {
            #expect(told.suffix(2).contains { $0 != .poweredOn }, "\(states)")
        }
    }

    /// Returns the expected result, computed in another way than in the selector.
    private static func expectation(
        _ selector: AdapterSelector,
        _ states: [AdapterState]
    ) -> (adapter: ObjectPath?, state: BluetoothState) {
        let paths = [hci0, hci1]
        if selector.choice == .named("hci1") {
            switch states[1] {
            case .on: return (hci1, .poweredOn)
            case .off: return (hci1, .poweredOff)
            case .blocked: return (hci1, .blocked)
            case .absent: return (nil, .adapterNotFound("hci1"))
            }
        }
        let kept = selector.isPinned ? selector.adapter.flatMap { paths.firstIndex(of: $0) } : nil
        if let kept, states[kept] == .on { return (paths[kept], .poweredOn) }
        if let on = states.firstIndex(of: .on) { return (paths[on], .poweredOn) }
        if let kept, states[kept] != .absent { return (paths[kept], .poweredOff) }
        guard let present = states.firstIndex(where: { $0 != .absent }) else {
            return (nil, .noAdapter)
        }
        return (paths[present], .poweredOff)
    }
}
