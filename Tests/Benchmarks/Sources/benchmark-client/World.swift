import Bluejay
import FoundationEssentials
import Glibc

/// The row, the number of operations, and the size of the values.
struct Job {
    let row: String
    let count: Int
    let size: Int

    var payload: Data { Data((0..<size).map { UInt8(truncatingIfNeeded: $0) }) }

    /// Returns the value for the control that requests `count` notifications.
    func order(_ count: Int) -> Data {
        var order = Data("N".utf8)
        order.append(contentsOf: [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: count >> $0) })
        order.append(contentsOf: [0, 8].map { UInt8(truncatingIfNeeded: size >> $0) })
        return order
    }
}

/// The identifiers of C/bluetoothd.c.
enum World {
    static let service = ServiceIdentifier(uuid: uuid(0))
    static let value = CharacteristicIdentifier(uuid: uuid(1), service: service)
    static let notifier = CharacteristicIdentifier(uuid: uuid(2), service: service)
    static let control = CharacteristicIdentifier(uuid: uuid(4), service: service)
    static let commands = CharacteristicIdentifier(uuid: uuid(5), service: service)

    static func uuid(_ number: Int) -> String { "12345678-1234-5678-1234-56789abcdef\(number)" }

    /// The public address of the device at a bluetoothd other than C/bluetoothd.c.
    static let peer = ProcessInfo.processInfo.environment["BENCHMARK_PEER"]

    /// The first adapter, if two exist.
    static var adapter: String? { peer == nil ? nil : "hci0" }

    static func device(_ number: Int) -> PeripheralIdentifier {
        let address = peer
        guard
            let device = try? PeripheralIdentifier(
                address: address ?? "C0:00:00:00:00:0\(number)",
                isRandomAddress: address == nil,
                name: nil
            )
        else { fail("no address") }
        return device
    }
}

/// Counts notifications that are numbered from 0.
struct Numbers {
    private(set) var expected = 0
    private(set) var lost = 0

    mutating func take(_ data: Data) {
        let number = data.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        if number > expected { lost += number - expected }
        // It was counted as lost, but was only late.
        if number < expected { lost -= 1 } else { expected = number + 1 }
    }
}

func fail(_ text: String) -> Never {
    let line = Array("benchmark-client: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(1)
}

/// Ends the program for a row that this API lacks.
func cannot(_ reason: String) -> Never {
    print("cannot: \(reason)")
    fflush(nil)
    exit(0)
}
