import BluejayGATTServer
import Foundation

/// A bell that rings for all subscribers and lets them set its volume.
public final class Bell {
    /// The volume, 0 to 10.
    public private(set) var volume: UInt8 = 5

    private let server: GATTServer
    private let ring = LocalCharacteristic(
        uuid: BluetoothUUID(string: "FFE2"),
        properties: .notify
    )

    /// Creates a bell and starts Bluetooth.
    public init(_ server: GATTServer = GATTServer()) {
        self.server = server
        server.start()
    }

    /// Publishes and advertises the bell; `ready` receives the error, or `nil`.
    public func begin(ready: @escaping ((any Error)?) -> Void) {
        let level = LocalCharacteristic(
            uuid: BluetoothUUID(string: "FFE1"),
            properties: [.read, .write],
            onRead: { [weak self] in $0.respond(with: Data([self?.volume ?? 0])) },
            onWrite: { [weak self] in self?.change($0) }
        )
        let service = LocalService(
            uuid: BluetoothUUID(string: "FFE0"),
            characteristics: [level, ring]
        )
        server.add(service) { [server] result in
            if case .failure(let error) = result { return ready(error) }
            server.startAdvertising(LocalAdvertisement(serviceUUIDs: [service.uuid])) { result in
                if case .failure(let error) = result { ready(error) } else { ready(nil) }
            }
        }
    }

    /// Notifies all subscribers; returns whether the bell has one.
    @discardableResult
    public func press() throws -> Bool {
        try server.notify(Data([volume]), on: ring)
    }

    private func change(_ request: WriteRequest) {
        guard let new = request.value.first, request.value.count == 1, new <= 10 else {
            return request.reject(ATTError(code: 0x80))
        }
        volume = new
        request.accept()
    }
}
