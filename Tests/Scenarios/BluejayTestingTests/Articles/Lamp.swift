import BluejayGATTServer
import Foundation

/// Serves a lamp whose brightness in percent can be read, written and observed.
func serveLamp(with server: GATTServer) async throws {
    let (writes, feed) = AsyncStream<WriteRequest>.makeStream()
    let level = LocalCharacteristic(
        uuid: "FFE1",
        properties: [.read, .write, .notify],
        onWrite: { feed.yield($0) }
    )
    let lamp = LocalService(uuid: "FFE0", characteristics: [level])
    let advertisement = LocalAdvertisement(name: "Lamp", serviceUUIDs: [lamp.uuid])
    try level.setValue(Data([50]))
    try await server.withServices([lamp], advertising: advertisement) { server in
        for await write in writes {
            if write.value.count != 1 || write.value[0] > 100 {
                write.reject(ATTError(code: 0x80))
            } else if write.acceptIfWaiting() {
                try server.notify(write.value, on: level)
            }
        }
    }
}

/// The body of a `main.swift` with the lamp; compiled only, because it uses the system bus.
func runLamp() async {
    await BluetoothHost.main { host in
        try await serveLamp(with: GATTServer(host: host))
    }
}

/// The same lamp, with callbacks.
final class Lamp {
    private let server: GATTServer
    private var brightness: UInt8 = 50
    private lazy var level = LocalCharacteristic(
        uuid: "FFE1",
        properties: [.read, .write, .notify],
        onRead: { [weak self] in $0.respond(with: Data([self?.brightness ?? 0])) },
        onWrite: { [weak self] in self?.change($0) }
    )

    init(_ server: GATTServer) { self.server = server }

    func begin(ready: @escaping (Result<Void, any Error>) -> Void) {
        let lamp = LocalService(uuid: "FFE0", characteristics: [level])
        server.start()
        server.add(lamp) { [server] result in
            guard case .success = result else { return ready(result) }
            let advertisement = LocalAdvertisement(serviceUUIDs: [lamp.uuid])
            server.startAdvertising(advertisement, completion: ready)
        }
    }

    private func change(_ request: WriteRequest) {
        guard request.value.count == 1, request.value[0] <= 100 else {
            return request.reject(ATTError(code: 0x80))
        }
        brightness = request.value[0]
        request.accept()
        do { try server.notify(request.value, on: level) } catch { print(error) }
    }
}
