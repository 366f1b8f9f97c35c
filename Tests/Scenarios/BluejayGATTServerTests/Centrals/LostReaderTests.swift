import BluejayCore
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@Suite(
    "A central that leaves while its request is pending",
    .timeLimit(.minutes(15)),
    .simulatedBlueZ
)
struct LostReaderTests {
    private static let service = BluetoothUUID(uint16: 0xFFE0)

    /// A program that leaves read requests unanswered.
    private final class Program {
        let server: GATTServer
        var requests: [ReadRequest] = []
        var onChange: () -> Void = {}

        init(_ world: TestWorld) async throws {
            server = GATTServer(mainLoop: world.mainLoop)
            server.onStateChange = { [weak self] _ in self?.onChange() }
            server.start()
            let value = LocalCharacteristic(
                uuid: BluetoothUUID(uint16: 0xFFE1),
                properties: .read,
                onRead: { [weak self] request in
                    self?.requests.append(request)
                    self?.onChange()
                }
            )
            let service = LocalService(uuid: service, characteristics: [value])
            try await world.expect("service and advertisement", count: 2) { done in
                server.add(service) { _ in done() }
                server.startAdvertising(LocalAdvertisement(serviceUUIDs: [service.uuid])) { _ in
                    done()
                }
            }
        }

        func wait(_ what: String, until condition: @escaping (Program) -> Bool) async throws {
            guard !condition(self) else { return }
            defer { onChange = {} }
            try await TestWorld.current.expect(what) { done in
                onChange = { [unowned self] in if condition(self) { done() } }
            }
        }
    }

    @Test("bluetoothd exits five seconds after the request, which ends immediately")
    func leaves() async throws {
        let world = try TestWorld.current
        let program = try await Program(world)
        let phone = try world.addCentral()
        try await phone.connect()
        let start = world.clock.now
        async let report = phone.play([.read("FFE1")])
        try await program.wait("a request") { !$0.requests.isEmpty }
        phone.leaveRange()
        #expect(try await report.failures.map(\.error) == [.lost])
        try await world.clock.sleep(until: start.advanced(by: .seconds(1)))
        #expect(program.requests.map(\.isOver) == [true])
        // An answer after the end of the link has no effect.
        program.requests = []
        #expect(program.server.bluetoothState == .poweredOn)
        try await program.wait("its exit") { $0.server.bluetoothState == .serviceNotRunning }
        let duration = start.duration(to: world.clock.now)
        #expect(duration >= .seconds(4.9) && duration < .seconds(5.1))
    }

    @Test("If the central stays, its request is rejected before bluetoothd exits")
    func stays() async throws {
        let world = try TestWorld.current
        let program = try await Program(world)
        let phone = try world.addCentral()
        try await phone.connect()
        let start = world.clock.now
        await #expect(throws: CentralError.refused(0x0E)) { try await phone.read("FFE1") }
        let duration = start.duration(to: world.clock.now)
        #expect(duration > .milliseconds(800) && duration < .seconds(1))
        try await phone.leave()
        try await world.clock.sleep(until: start.advanced(by: .seconds(60)))
        #expect(program.server.bluetoothState == .poweredOn)
    }
}
