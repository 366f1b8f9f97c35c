import BluejayCore
import BluejayDBus
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Testing

@testable import BluejayBlueZ

@Suite("The adapter that a user tracks")
struct AdapterTrackerTests {
    @Test("A wait for an unknown state ends when the state is known, after the change is reported")
    func unknown() async throws {
        try await TrackerUser.play { user in
            let wait = user.waitForBluetooth()
            #expect(user.events.isEmpty)
            try await user.sleep(.seconds(1))
            #expect(
                user.events == [.change(.use(.hci0)), .change(.report(.poweredOn)), .usable(.hci0)]
            )
            #expect(user.waitForBluetooth() == nil)
            #expect(user.events.last == .usable(.hci0))
            #expect(user.events.count == 4)
            withExtendedLifetime(wait) {}
        }
    }

    @Test("An unknown state fails the wait at its timeout")
    func limit() async throws {
        try await TrackerUser.play { user in
            try user.apply(.daemonFrozen(for: .seconds(60)))
            let wait = user.waitForBluetooth(within: .seconds(5))
            try await user.sleep(.milliseconds(4_900))
            #expect(user.events.isEmpty)
            try await user.sleep(.milliseconds(200))
            #expect(user.events == [.unusable(.unknown)])
            withExtendedLifetime(wait) {}
        }
    }

    @Test("An adapter that is off has one second to turn on")
    func off() async throws {
        try await TrackerUser.play { user in
            try await user.turn(on: false)
            _ = user.takeEvents()
            let first = user.waitForBluetooth()
            try await user.sleep(.milliseconds(900))
            #expect(user.takeEvents().isEmpty)
            try await user.sleep(.milliseconds(200))
            #expect(user.takeEvents() == [.unusable(.poweredOff)])
            let second = user.waitForBluetooth()
            try user.perform { $0.setPowered(true, ofAdapter: 0) }
            try await user.sleep(.seconds(2))
            #expect(
                user.takeEvents() == [
                    .change(.use(.hci0)), .change(.report(.poweredOn)), .usable(.hci0),
                ]
            )
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("A state that only the user can change fails the wait at once")
    func unusable() async throws {
        try await TrackerUser.play(adapter: "hci7") { user in
            try await user.sleep(.seconds(1))
            #expect(user.takeEvents() == [.change(.report(.adapterNotFound("hci7")))])
            #expect(user.waitForBluetooth() == nil)
            #expect(user.takeEvents() == [.unusable(.adapterNotFound("hci7"))])
        }
    }

    @Test("A released wait reports nothing, and the other waits keep their timeouts")
    func released() async throws {
        try await TrackerUser.play { user in
            try await user.turn(on: false)
            _ = user.takeEvents()
            let kept = user.waitForBluetooth()
            do {
                let released = user.waitForBluetooth()
                withExtendedLifetime(released) {}
            }
            try await user.sleep(.seconds(2))
            #expect(user.takeEvents() == [.unusable(.poweredOff)])
            withExtendedLifetime(kept) {}
        }
    }

    @Test("A pin keeps the adapter when a lower one turns on, until the user removes the pin")
    func pin() async throws {
        try await TrackerUser.play(adapters: 2) { user in
            try await user.pinToSecondAdapter()
            #expect(user.tracker.adapter == .hci1)
            user.tracker.pin(false)
            #expect(user.takeEvents() == [.change(.use(.hci0))])
        }
    }

    @Test("A pinned adapter that turns off is released before the other one is used")
    func pinnedAdapterOff() async throws {
        try await TrackerUser.play(adapters: 2) { user in
            try await user.sleep(.seconds(1))
            user.tracker.pin(true)
            try await user.turn(on: false)
            #expect(
                user.takeEvents() == [
                    .change(.release(.hci0, .poweredOff)), .change(.report(.poweredOff)),
                    .change(.use(.hci1)), .change(.report(.poweredOn)),
                ]
            )
        }
    }

    @Test("An action that the handler causes follows the actions before it")
    func order() async throws {
        try await TrackerUser.play(adapters: 2) { user in
            try await user.pinToSecondAdapter()
            user.onEvent = { [unowned user] in
                if $0 == .change(.use(.hci1)) { user.tracker.pin(false) }
            }
            user.tracker.reportState()
            #expect(
                user.takeEvents() == [
                    .change(.use(.hci1)), .change(.report(.poweredOn)), .change(.use(.hci0)),
                ]
            )
        }
    }

    @Test("A choice inside the handler takes effect inside the call")
    func choice() async throws {
        try await TrackerUser.play(adapters: 2, adapter: "hci0") { user in
            try await user.sleep(.seconds(1))
            user.onEvent = { [unowned user] in
                guard $0 == .change(.report(.poweredOff)) else { return }
                #expect(user.tracker.choose(.named("hci1")) == .success(.hci1))
                #expect(user.events.last == .change(.report(.poweredOn)))
            }
            try await user.turn(on: false)
            #expect(
                user.takeEvents() == [
                    .change(.release(.hci0, .poweredOff)), .change(.report(.poweredOff)),
                    .change(.use(.hci1)), .change(.report(.poweredOn)),
                ]
            )
            #expect(user.tracker.adapter == .hci1)
        }
    }

    @Test("A choice of an adapter that the machine does not have changes nothing")
    func refusedChoice() async throws {
        try await TrackerUser.play { user in
            try await user.sleep(.seconds(1))
            _ = user.takeEvents()
            let refusal = AdapterUnavailable(state: .adapterNotFound("hci7"))
            #expect(user.tracker.choose(.named("hci7")) == .failure(refusal))
            #expect(user.takeEvents().isEmpty)
            #expect(user.tracker.adapter == .hci0)
            #expect(user.tracker.state == .poweredOn)
        }
    }

    @Test(
        "A tracker of an engine that knows bluetoothd has the state at once, and reports it on request"
    )
    func second() async throws {
        try await TrackerUser.play { user in
            try await user.sleep(.seconds(1))
            let second = TrackerUser(AdapterTracker(user.tracker.engine, adapter: nil), user.world)
            #expect(second.tracker.adapter == .hci0)
            #expect(second.events.isEmpty)
            second.tracker.reportState()
            #expect(second.events == [.change(.use(.hci0)), .change(.report(.poweredOn))])
        }
    }
}

extension ObjectPath {
    fileprivate static let hci0 = ObjectPath("/org/bluez/hci0")
    fileprivate static let hci1 = ObjectPath("/org/bluez/hci1")
}

/// A client of a tracker in virtual time, on the loop of the world.
private final class TrackerUser {
    enum Event: Equatable {
        case change(AdapterSelector.Action)
        case usable(ObjectPath)
        case unusable(BluetoothState)
    }

    let tracker: AdapterTracker
    let world: TestWorld
    private(set) var events: [Event] = []
    var onEvent: ((Event) -> Void)?

    init(_ tracker: AdapterTracker, _ world: TestWorld) {
        self.tracker = tracker
        self.world = world
        tracker.onChange = { [weak self] in self?.note(.change($0)) }
    }

    static func play(
        adapters: Int = 1,
        adapter: String? = nil,
        _ body: @escaping @Sendable (TrackerUser) async throws -> Void
    ) async throws {
        var options = SimulatorOptions()
        options.adapters = adapters
        let world = try await TestWorld.make(options)
        try await world.run {
            let host = BluetoothHost(
                mainLoop: world.mainLoop,
                adapter: adapter,
                busAddress: world.busAddress
            )
            try await body(TrackerUser(AdapterTracker(host), world))
        }
    }

    private func note(_ event: Event) {
        events.append(event)
        onEvent?(event)
    }

    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    func waitForBluetooth(within limit: Duration = .seconds(10)) -> ObservationToken? {
        tracker.whenUsable(within: limit) { [weak self] result in
            switch result {
            case .success(let adapter): self?.note(.usable(adapter))
            case .failure(let failure): self?.note(.unusable(failure.state))
            }
        }
    }

    func sleep(_ time: Duration) async throws { try await world.clock.sleep(for: time) }

    func perform(_ work: @escaping @Sendable (SimulatedBlueZ) -> Void) throws {
        try world.perform(work)
    }

    func apply(_ fault: Fault) throws { try perform { $0.apply(fault) } }

    /// Switches the first adapter; the events before the switch are discarded.
    func turn(on isOn: Bool) async throws {
        try await sleep(.seconds(1))
        _ = takeEvents()
        try perform { $0.setPowered(isOn, ofAdapter: 0) }
        try await sleep(.seconds(1))
    }

    /// Pins the tracker to the second adapter while the first one is on as well.
    func pinToSecondAdapter() async throws {
        try await turn(on: false)
        tracker.pin(true)
        try await turn(on: true)
        #expect(takeEvents().isEmpty)
    }
}
