import Bluejay
import BluejayDBus
import Testing

@testable import BluejayGATTServer

@Suite("A server on a computer with two adapters", .timeLimit(.minutes(15)))
struct TwoAdapterTests {
    static let hci0 = FakeDaemon.adapter
    static let hci1 = FakeDaemon.secondAdapter

    static let isOff = "state \(BluetoothState.poweredOff)"
    static let isOn = "state \(BluetoothState.poweredOn)"
    /// The journal lines of a move to the other adapter.
    static let moves = ["unregistered application", "registered application"]

    /// A server with two adapters that are on, and a service registered at the first.
    static func withServer(
        hasService: Bool = true,
        _ body: (ServerStage) async throws -> Void
    ) async throws {
        try await ServerStage.with { stage in
            await stage.run { $0.daemon?.addAdapter(hci1) }
            await stage.startServer()
            await stage.wait(for: isOn)
            if hasService { await stage.publish(PublishingTests.plain) }
            try await body(stage)
        }
    }

    static func place(_ stage: ServerStage) async -> ObjectPath? {
        await stage.run { $0.daemon?.applications.values.first?.adapter }
    }

    @Test("If nothing is registered, another adapter replaces one that is powered off")
    func idle() async throws {
        try await Self.withServer(hasService: false) { stage in
            await stage.run { $0.daemon?.setPowered(false) }
            await stage.publish(PublishingTests.plain)
            #expect(await Self.place(stage) == Self.hci1)
            #expect(await stage.run { $0.server?.bluetoothState } == .poweredOn)
        }
    }

    struct Step: Swift.Sendable {
        let adapter: ObjectPath
        let isOn: Bool
        var journal: [String] = []
        /// The adapter that has the service afterwards.
        let place: ObjectPath
    }

    static func off(_ adapter: ObjectPath, _ journal: [String], at place: ObjectPath) -> Step {
        Step(adapter: adapter, isOn: false, journal: journal, place: place)
    }

    static func on(_ adapter: ObjectPath, _ journal: [String], at place: ObjectPath) -> Step {
        Step(adapter: adapter, isOn: true, journal: journal, place: place)
    }

    /// Switches both adapters off and on again, in every order.
    static let orders = [
        [
            off(hci0, [isOff, isOn] + moves, at: hci1), on(hci0, [], at: hci1),
            off(hci1, [isOff, isOn] + moves, at: hci0), on(hci1, [], at: hci0),
        ],
        [
            off(hci0, [isOff, isOn] + moves, at: hci1), off(hci1, [isOff], at: hci1),
            on(hci0, [isOn] + moves, at: hci0), on(hci1, [], at: hci0),
        ],
        [
            off(hci0, [isOff, isOn] + moves, at: hci1), off(hci1, [isOff], at: hci1),
            on(hci1, [isOn], at: hci1), on(hci0, [], at: hci1),
        ],
        [
            off(hci1, [], at: hci0), off(hci0, [isOff], at: hci0),
            on(hci0, [isOn], at: hci0), on(hci1, [], at: hci0),
        ],
        [
            off(hci1, [], at: hci0), off(hci0, [isOff], at: hci0),
            on(hci1, [isOn] + moves, at: hci1), on(hci0, [], at: hci1),
        ],
        [
            off(hci1, [], at: hci0), on(hci1, [], at: hci0),
            off(hci0, [isOff, isOn] + moves, at: hci1), on(hci0, [], at: hci1),
        ],
    ]

    @Test(
        "State reports and the place of the service for every order of powering off and on",
        arguments: orders
    )
    func everyOrder(steps: [Step]) async throws {
        try await Self.withServer { stage in
            for step in steps {
                await stage.run { $0.daemon?.setPowered(step.isOn, step.adapter) }
                if let last = step.journal.last {
                    #expect(await stage.wait(for: last) == step.journal)
                }
                // The answer arrives after all other events.
                #expect(await stage.read("service0/char0") == .success([1]))
                #expect(await Self.place(stage) == step.place)
            }
            await stage.run { $0.note("end") }
            #expect(await stage.wait(for: "end") == ["end"])
        }
    }

    @Test("Unplugging an adapter is reported with its name, and the service moves")
    func unplugged() async throws {
        try await Self.withServer { stage in
            await stage.run { $0.daemon?.removeAdapter() }
            let journal = await stage.wait(for: "registered application")
            let gone = "state \(BluetoothState.adapterNotFound("hci0"))"
            #expect(journal == [gone, Self.isOn, "registered application"])
            #expect(await Self.place(stage) == Self.hci1)
        }
    }

    @Test(
        "A service is unregistered from the adapter that registered it, even if another is in use"
    )
    func takenBack() async throws {
        try await Self.withServer(hasService: false) { stage in
            await stage.run { stage in
                stage.daemon?.isSilent = true
                stage.service = LocalService(
                    uuid: BluetoothUUID(uint16: 0x180D),
                    characteristics: []
                )
                stage.add()
            }
            await stage.wait(for: "silent")
            await stage.run { $0.daemon?.setPowered(false) }
            await stage.wait(for: Self.isOn)
            await stage.run { stage in
                guard let service = stage.service else { return }
                stage.server?.remove(service) { stage.note("removed", $0) }
                stage.daemon?.answerSilenced()
            }
            let journal = await stage.wait(for: "removed")
            #expect(
                journal.suffix(3) == [
                    "registered application", "unregistered application", "removed",
                ]
            )
            #expect(await stage.run { $0.daemon?.applications.count } == 0)
        }
    }
}
