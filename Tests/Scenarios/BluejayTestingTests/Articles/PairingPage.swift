import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Testing

/// Collects the texts shown to a user, who agrees to everything.
private final class Window {
    private(set) var lines: [String] = []

    func askForNumber(of peripheral: PeripheralIdentifier, answer: (UInt32) -> Void) {
        lines.append("number of \(peripheral.name)")
        answer(SimulatedDevice.DoorLock.passkey)
    }

    func ask(_ question: String, answer: (Bool) -> Void) {
        lines.append(question)
        answer(true)
    }

    func show(_ text: String) { lines.append(text) }

    func hideNumber() { lines.append("hidden") }
}

@Suite("The guide to pairing", .timeLimit(.minutes(15)))
struct PairingPageTests {
    private func pair(
        _ bluejay: Bluejay,
        _ window: Window,
        print: @escaping (Any) -> Void
    ) {
        bluejay.setPairingHandler { request, peripheral, answer in
            switch request {
            case .passkey:  // the user types the number that the peripheral shows
                window.askForNumber(of: peripheral) { answer.accept(passkey: $0) }
            case .confirmation:  // the user compares two numbers
                window.ask("Does \(peripheral.name) show \(request.digits ?? "")?") { isAgreed in
                    if isAgreed { answer.accept() } else { answer.reject() }
                }
            case .displayPasskey:  // the user types this number on the peripheral
                window.show(request.digits ?? "")
                answer.onEnd = { window.hideNumber() }
            case .authorization:  // the user only agrees
                answer.accept()
            default:
                answer.reject()
            }
        }

        bluejay.pair { result in
            if case .failure(let error) = result { print(error) }
        }
    }

    private func pair(
        _ bluejay: Bluejay,
        typed numberThatIsTyped: @escaping @Sendable () async -> UInt32,
        agreed isAgreed: @escaping @Sendable (String?) async -> Bool
    ) async throws {
        await bluejay.setPairingHandler { request, peripheral in
            switch request {
            case .passkey: return await .passkey(numberThatIsTyped())
            case .confirmation, .authorization:
                return await isAgreed(request.digits) ? .accept : .reject
            default: return .reject
            }
        }
        try await bluejay.pair()
    }

    private func connected() async throws -> Bluejay {
        let bluejay = try await startedBluejay()
        let lock = try await find(SimulatedDevice.DoorLock.service, by: bluejay)
        try await bluejay.connect(lock, timeout: .seconds(10))
        return bluejay
    }

    private func shown() async throws -> [String] {
        let world = try TestWorld.current
        let bluejay = try await connected()
        let window = Window()
        var errors: [String] = []
        try await world.expect("an end") { ended in
            pair(bluejay, window) { errors.append("\($0)") }
            // This read waits in the queue until the pairing has ended.
            bluejay.read(from: bolt) { (result: ReadResult<UInt8>) in
                if case .success(0) = result { ended() }
            }
        }
        return window.lines + errors
    }

    private let bolt = CharacteristicIdentifier(
        uuid: BluetoothUUID(string: SimulatedDevice.DoorLock.bolt),
        service: ServiceIdentifier(uuid: BluetoothUUID(string: SimulatedDevice.DoorLock.service))
    )

    @Test("The passkey is requested", .simulatedBlueZ { $0.add(.passkeyLock()) })
    func number() async throws {
        #expect(try await shown() == ["number of Lock"])
    }

    @Test("The number is compared", .simulatedBlueZ)
    func comparison() async throws {
        try TestWorld.current.perform { world in
            let lock = SimulatedDevice.lock()
            lock.pairing = .confirmation(4_711, isAgreed: true)
            world.add(lock)
        }
        #expect(try await shown() == ["Does Lock show 004711?"])
    }

    // Virtual time does not wait for a handler's task.
    @Test(
        "A task answers the pairing requests",
        .simulatedBlueZ(time: .real) { $0.add(.passkeyLock()) }
    )
    func task() async throws {
        let bluejay = try await connected()
        try await pair(
            bluejay,
            typed: { SimulatedDevice.DoorLock.passkey },
            agreed: { _ in false }
        )
        #expect(try await bluejay.read(from: bolt, as: UInt8.self) == 0)
    }
}
