import BluejayGATTServer
import Foundation

/// A peripheral that answers a write to its control point with three measurements.
// Used only on the loop, which justifies `@unchecked`.
final class HeartRatePeripheral: @unchecked Sendable {
    private let server: GATTServer
    private let measurement = LocalCharacteristic(
        uuid: BluetoothUUID(string: "2A37"),
        properties: .notify
    )

    init(_ busAddress: String) {
        let loop = MainLoop(threadName: "peripheral")
        server = GATTServer(mainLoop: loop, busAddress: busAddress)
    }

    /// Returns once it advertises.
    func begin() async throws {
        try await withCheckedThrowingContinuation { (ready: CheckedContinuation<Void, any Error>) in
            server.mainLoop.post { self.publish { ready.resume(with: $0) } }
        }
    }

    private func publish(ready: @escaping GATTServer.Completion) {
        let controlPoint = LocalCharacteristic(
            uuid: BluetoothUUID(string: "2A39"),
            properties: .write,
            onWrite: { [weak self] request in
                request.accept()
                self?.measure()
            }
        )
        let service = LocalService(
            uuid: BluetoothUUID(string: "180D"),
            characteristics: [measurement, controlPoint]
        )
        server.start()
        server.add(service)
        let advertisement = LocalAdvertisement(serviceUUIDs: [service.uuid])
        server.startAdvertising(advertisement, completion: ready)
    }

    private func measure() {
        for value: UInt8 in 1...3 { _ = try? server.notify(Data([value]), on: measurement) }
    }
}
