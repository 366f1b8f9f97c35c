import Bluejay
import BluejayGATTServer
import FoundationEssentials
import Glibc

/// The device of C/bluetoothd.c on a real adapter: a value, a notifier, and a control that starts
/// notifications.
final class Peripheral: @unchecked Swift.Sendable {
    // Used on the main loop only: the invariant behind `@unchecked`.

    private let server: GATTServer
    private let notifier: LocalCharacteristic
    private var services: [LocalService] = []

    init(_ job: Job) {
        server = GATTServer(adapter: job.row)
        notifier = LocalCharacteristic(uuid: Self.uuid(2), properties: [.notify])
        let control = LocalCharacteristic(
            uuid: Self.uuid(4),
            properties: [.read, .write],
            onRead: { $0.respond(with: Data([0])) },
            onWrite: { [unowned self] request in
                request.accept()
                take(request.value)
            }
        )
        let value = LocalCharacteristic(
            uuid: Self.uuid(1),
            properties: [.read, .write, .writeWithoutResponse],
            value: job.payload
        )
        let commands = LocalCharacteristic(
            uuid: Self.uuid(5),
            properties: [.writeWithoutResponse],
            value: Data()
        )
        services = [
            LocalService(
                uuid: Self.uuid(0),
                characteristics: [value, notifier, control, commands]
            )
        ]
    }

    private static func uuid(_ number: Int) -> BluetoothUUID {
        BluetoothUUID(string: World.uuid(number))
    }

    func start() {
        server.start()
        server.add(services[0]) { [self] result in
            if case .failure(let error) = result { fail("\(error)") }
            server.startAdvertising(LocalAdvertisement(serviceUUIDs: [Self.uuid(0)])) { result in
                if case .failure(let error) = result { fail("\(error)") }
                print("ready")
                fflush(nil)
            }
        }
    }

    /// Sends the requested number of notifications.
    private func take(_ order: Data) {
        guard order.count >= 7, order.first == UInt8(ascii: "N") else { return }
        let bytes = Array(order)
        let count = bytes[1..<5].reversed().reduce(0) { $0 << 8 | Int($1) }
        let size = max(4, bytes[5..<7].reversed().reduce(0) { $0 << 8 | Int($1) })
        for number in 0..<count {
            var value = Data(repeating: 0, count: size)
            for byte in 0..<4 { value[byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
            do {
                _ = try server.notify(value, on: notifier)
            } catch { fail("notify: \(error)") }
        }
    }
}
