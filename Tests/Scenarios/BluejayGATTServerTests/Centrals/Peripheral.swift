import BluejayCore
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

/// A peripheral in the world of a test; it records its requests and its centrals.
final class Peripheral {
    static let service = BluetoothUUID(uint16: 0xFFE0)

    let server: GATTServer
    private(set) var journal: [String] = []
    /// The values of write requests and commands, in order.
    private(set) var written: [[UInt8]] = []
    private(set) var connectionCount = 0
    private(set) var connected = 0
    var onJournal: (String) -> Void = { _ in }
    /// The error that answers each write, or `nil` to accept it.
    var refusal: ATTError?

    /// Notifies; 2A37.
    let beats: LocalCharacteristic
    /// Indicates; 2A3A.
    let alarm: LocalCharacteristic
    /// 2A3B, with a value that the server holds.
    let held = LocalCharacteristic(
        uuid: BluetoothUUID(uint16: 0x2A3B),
        properties: [.read, .write],
        value: Data((0..<200).map { UInt8($0) })
    )
    /// 2A39; calls the program for each write request.
    private(set) lazy var requests = LocalCharacteristic(
        uuid: BluetoothUUID(uint16: 0x2A39),
        properties: .write,
        onWrite: { [weak self] in self?.take($0) }
    )
    /// 2A3C; calls the program for each write command.
    private(set) lazy var commands = LocalCharacteristic(
        uuid: BluetoothUUID(uint16: 0x2A3C),
        properties: .writeWithoutResponse,
        onWrite: { [weak self] in self?.take($0) }
    )

    init(_ world: TestWorld, adapter: String? = nil) {
        server = GATTServer(mainLoop: world.mainLoop, adapter: adapter)
        beats = LocalCharacteristic(uuid: BluetoothUUID(uint16: 0x2A37), properties: .notify)
        alarm = LocalCharacteristic(uuid: BluetoothUUID(uint16: 0x2A3A), properties: .indicate)
        beats.onSubscriptionChange = { [weak self] in self?.note($0 ? "beats +" : "beats -") }
        alarm.onSubscriptionChange = { [weak self] in self?.note($0 ? "alarm +" : "alarm -") }
        alarm.onConfirm = { [weak self] in self?.note("confirmed") }
        server.onConnectionChange = { [weak self] central, isConnected in
            guard let self else { return }
            connected += isConnected ? 1 : -1
            connectionCount += isConnected ? 1 : 0
            note("\(central.address ?? "") \(isConnected ? "connected" : "disconnected")")
        }
        server.start()
    }

    private func take(_ request: WriteRequest) {
        if let refusal { return request.reject(refusal) }
        written.append([UInt8](request.value))
        request.accept()
    }

    func note(_ line: String) {
        journal.append(line)
        onJournal(line)
    }

    func forgetJournal() { journal = [] }

    func publish(in world: TestWorld) async throws {
        let service = LocalService(
            uuid: Self.service,
            characteristics: [beats, alarm, held, requests, commands]
        )
        try await world.expect("services and advertisement", count: 2) { done in
            server.add(service) {
                if case .failure(let error) = $0 { Issue.record(error) }
                done()
            }
            server.startAdvertising(LocalAdvertisement(serviceUUIDs: [Self.service])) {
                if case .failure(let error) = $0 { Issue.record(error) }
                done()
            }
        }
    }

    /// Waits until the journal contains `line` `count` times.
    func wait(for line: String, count: Int = 1) async throws {
        let there = journal.filter { $0 == line }.count
        guard there < count else { return }
        defer { onJournal = { _ in } }
        try await TestWorld.current.expect(line, count: count - there) { done in
            onJournal = { if $0 == line { done() } }
        }
    }

    /// Publishes a discoverable peripheral in the world of the test.
    static func published(adapter: String? = nil) async throws -> (TestWorld, Peripheral) {
        let world = try TestWorld.current
        let peripheral = Peripheral(world, adapter: adapter)
        try await peripheral.publish(in: world)
        return (world, peripheral)
    }
}
