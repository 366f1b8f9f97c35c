import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation

/// Makes one error with public API and faults of the simulator, and follows its sentence.
struct Rehearsal: Swift.Sendable {
    typealias Act = @Sendable (RehearsalStage) async throws -> Void

    /// The part of the sentence that `remedy` follows, or `nil` if the sentence has no remedy.
    let advice: String?
    let options: SimulatorOptions
    /// Throws the error.
    let failing: Act
    /// Follows the sentence, and throws if that does not help.
    let remedy: Act

    init(
        _ advice: String?,
        _ change: (inout SimulatorOptions) -> Void = { _ in },
        failing: @escaping Act,
        remedy: @escaping Act
    ) {
        self.advice = advice
        var options = SimulatorOptions()
        change(&options)
        self.options = options
        self.failing = failing
        self.remedy = remedy
    }

    /// Makes the error in a new world, follows its sentence, and returns the error.
    func play() async throws -> BluejayError? {
        let world = try await TestWorld.make(options) { $0.add(.gadget()) }
        return try await world.run {
            let stage = RehearsalStage(world)
            do {
                try await failing(stage)
                return nil
            } catch let error as BluejayError {
                try await remedy(stage)
                return error
            }
        }
    }
}

/// The call did not help, or an event did not happen.
struct Unhelpful: Error {
    let text: String
}

extension SimulatedDevice {
    static let gadgetAddress = "C0:00:00:00:00:01"

    /// A peripheral whose characteristics behave well; a rehearsal changes the one that it needs.
    static func gadget() -> SimulatedDevice {
        let device = SimulatedDevice(
            address: gadgetAddress,
            name: "Gadget",
            advertising: ["FFE0"]
        )
        device.addService(
            "FFE0",
            [
                ScriptedCharacteristic(
                    "FFE1",
                    ["read", "write", "notify"],
                    .echoes([7]),
                    descriptors: [("2901", [0x41])]
                ),
                ScriptedCharacteristic("FFE2", ["encrypt-read"], .value([8])),
                ScriptedCharacteristic("FFE3", ["read"], .value([0xFF, 0xFE])),
            ]
        )
        return device
    }
}

extension CharacteristicIdentifier {
    /// Returns a characteristic of the gadget.
    static func gadget(_ uuid: String) -> CharacteristicIdentifier {
        CharacteristicIdentifier(uuid: BluetoothUUID(string: uuid), service: .gadget)
    }
}

extension ServiceIdentifier {
    static let gadget = ServiceIdentifier(uuid: "FFE0")
}

/// A call whose result arrives later.
final class PendingCall {
    fileprivate(set) var result: Result<Void, any Error>?
}

/// The program and the world of a rehearsal.
///
/// The stage is used on the loop of its world only, which justifies `@unchecked`.
final class RehearsalStage: @unchecked Swift.Sendable {
    let world: TestWorld
    let bluejay: Bluejay
    let server: GATTServer
    /// A call that runs while another one fails.
    var pending: PendingCall?
    var service = LocalService(uuid: BluetoothUUID(uint16: 0xFFE0), characteristics: [])
    var phones: [TestCentral] = []
    /// The number of values that a listen has received.
    var count = 0
    /// The end of an advertisement.
    var ending: String?
    /// Objects that live as long as the stage.
    var others: [AnyObject] = []
    private var started = false

    init(_ world: TestWorld) {
        self.world = world
        bluejay = world.makeBluejay()
        server = GATTServer(mainLoop: world.mainLoop)
    }

    // MARK: The world

    func gadget(_ work: @escaping @Sendable (SimulatedDevice) -> Void) throws {
        try world.perform { $0.device(SimulatedDevice.gadgetAddress).map(work) }
    }

    func apply(_ faults: Fault...) throws {
        try world.perform { blueZ in faults.forEach { blueZ.apply($0) } }
    }

    func refuse(_ member: String, _ kind: String, _ text: String = "") throws {
        try apply(.callsRefused(member, name: "org.bluez.Error." + kind, text: text))
    }

    func accept(_ member: String) throws { try apply(.callsReleased(member)) }

    func setPowered(_ isPowered: Bool) async throws {
        try world.perform { $0.setPowered(isPowered, ofAdapter: 0) }
        try await sleep(1)
    }

    func sleep(_ seconds: Double) async throws {
        try await world.clock.sleep(for: .seconds(seconds))
    }

    /// Waits for a state that something else brings about.
    func wait(_ text: String, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<1_200 {
            if try await condition() { return }
            try await sleep(0.1)
        }
        throw Unhelpful(text: text)
    }

    /// Starts a call whose completion has an error or `nil`.
    func begin(_ call: (@escaping ((any Error)?) -> Void) -> Void) {
        let started = PendingCall()
        pending = started
        call { started.result = $0.map { .failure($0) } ?? .success(()) }
    }

    /// Waits for the call that `begin` has started.
    func endPending() async throws {
        try await wait("the call ended") { pending?.result != nil }
        try pending?.result?.get()
    }

    /// Starts a read that the gadget leaves unanswered.
    func beginHeldRead() async throws {
        try gadget { $0.hold(.read, of: "FFE1") }
        begin { end in
            bluejay.read(from: .gadget("FFE1")) { (result: ReadResult<Data>) in
                if case .failure(let error) = result { end(error) } else { end(nil) }
            }
        }
        try await sleep(1)
    }

    func beginDisconnect() {
        begin { end in
            bluejay.disconnect { result in
                if case .failure(let error) = result { end(error) } else { end(nil) }
            }
        }
    }

    // MARK: The central

    /// The identifier of the gadget, as a program that knows its address creates it.
    var identifier: PeripheralIdentifier {
        get throws {
            try PeripheralIdentifier(
                address: SimulatedDevice.gadgetAddress,
                isRandomAddress: true,
                name: "Gadget"
            )
        }
    }

    func start() async throws {
        guard !started else { return }
        started = true
        await bluejay.start()
        try await bluejay.waitUntilReady()
    }

    func find() async throws -> PeripheralIdentifier {
        try await start()
        for try await found in bluejay.scan(duration: 20, serviceIdentifiers: [.gadget]) {
            return found.peripheralIdentifier
        }
        throw Unhelpful(text: "the gadget was not found")
    }

    func connect() async throws {
        try await start()
        try await bluejay.connect(identifier, timeout: .seconds(20))
    }

    /// Reads a characteristic of the gadget.
    @discardableResult
    func read(_ uuid: String = "FFE1") async throws -> Data {
        try await bluejay.read(from: .gadget(uuid))
    }

    func write(_ bytes: [UInt8], _ uuid: String = "FFE1") async throws {
        try await bluejay.write(to: .gadget(uuid), value: Data(bytes))
    }

    /// Connects as the callback form does: the awaited form succeeds for the same peripheral.
    func connectAgain() async throws {
        let identifier = try identifier
        let result = await withCheckedContinuation { continuation in
            bluejay.connect(identifier) { continuation.resume(returning: $0) }
        }
        if case .failure(let error) = result { throw error }
    }

    func setPairingHandler(_ answer: @escaping @Sendable (PairingResponder) -> Void) async {
        await bluejay.onLoop { $0.setPairingHandler { _, _, reply in answer(reply) } }
    }

    /// Waits for the reason that an observer receives for a lost or failed connection.
    func reason(of event: () async throws -> Void) async throws {
        var events = bluejay.connectionEvents.makeAsyncIterator()
        try await sleep(1)
        try await event()
        while let next = await events.next() {
            if case .disconnected(_, let reason?) = next { throw reason }
        }
    }
}
