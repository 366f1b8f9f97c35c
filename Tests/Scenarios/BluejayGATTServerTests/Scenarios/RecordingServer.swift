import Bluejay
import BluejayGATTServer
import Foundation
import Staging

/// A server on the loop of a `Central`; it records its callbacks.
///
/// Used only on that loop, which justifies `@unchecked`.
final class RecordingServer: @unchecked Swift.Sendable {
    static let service = "FFE0"
    static let characteristic = "FFE1"

    let central: RecordingCentral
    private let server: GATTServer
    private let value: LocalCharacteristic

    init(
        _ context: ScenarioContext,
        on central: RecordingCentral,
        subscriptions: SubscriptionMode = .shared
    ) async throws {
        self.central = central
        server = GATTServer(
            mainLoop: central.loop,
            adapter: "hci0",
            busAddress: context.testbed.busAddress
        )
        value = LocalCharacteristic(
            uuid: BluetoothUUID(string: Self.characteristic),
            properties: [.read, .write, .notify],
            subscriptions: subscriptions,
            onRead: { $0.respond(with: Data([7])) },
            onWrite: { [weak central] request in
                let who = request.central?.address ?? "unknown"
                central?.recordEvent("write \(request.value.map { String($0) }.joined()) by \(who)")
                request.accept()
            }
        )
        await central.run { [self] central in
            value.onSubscriptionChange = { [weak central] in
                central?.recordEvent("subscribed \($0)")
            }
            server.onConnectionChange = { [weak central] device, isConnected in
                central?.recordEvent(
                    "\(device.address ?? "unknown") \(isConnected ? "connected" : "disconnected")"
                )
            }
            server.start()
        }
        let service = LocalService(
            uuid: BluetoothUUID(string: Self.service),
            characteristics: [value]
        )
        try await end { $0.add(service, completion: $1) }
        let advertisement = LocalAdvertisement(serviceUUIDs: [service.uuid])
        try await end { $0.startAdvertising(advertisement, completion: $1) }
    }

    private func end(
        of call: @escaping (GATTServer, @escaping GATTServer.Completion) -> Void
    ) async throws {
        let call = Unchecked(call)
        try await withCheckedThrowingContinuation {
            (waiter: CheckedContinuation<Void, any Error>) in
            central.loop.post { [server] in call.value(server) { waiter.resume(with: $0) } }
        }
    }

    private struct Unchecked<Value>: @unchecked Swift.Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    func notify(_ value: UInt8) async throws {
        try await central.read { _ in
            _ = try self.server.notify(Data([value]), on: self.value)
        }
    }

    func notify(_ value: UInt8, to central: PeripheralIdentifier) async throws {
        try await self.central.read { _ in
            try self.server.notify(Data([value]), on: self.value, to: central)
        }
    }

    /// The subscribed centrals, as far as bluetoothd reports them.
    func subscribers() async -> [PeripheralIdentifier] {
        await central.read { _ in self.value.subscribers.map(\.central) }
    }

    var addressing: NotificationAddressing { server.addressing }

    var connectedCount: Int { server.connectedDevices.count }

    var centralCount: Int { server.centrals.count }

    func stop() async {
        await withCheckedContinuation { waiter in
            central.loop.post { [server] in server.stop { waiter.resume() } }
        }
    }
}

extension TestbedCentral {
    /// Connects and discovers the host's service.
    func enter() async throws {
        try await connect()
        try await discover(RecordingServer.service)
    }

    /// The first byte of each received value, once `count` values have arrived.
    func heard(_ count: Int) async throws -> [UInt8] {
        try await values(of: RecordingServer.characteristic, atLeast: count).compactMap(\.first)
    }
}
