import Bluejay
import BluejaySimulator
import Foundation
import Staging
import Testing

/// Peripherals of bluetoothd's own GATT server, on the other adapter.
///
/// With one bluetoothd at both ends, the order of its signals differs, so traces are not compared.
@Suite("Peripherals of other implementations", .timeLimit(.minutes(15)), .serialized)
struct StrangerTests {
    private static let hasPython = PeerProcess.python != nil
    private static let hasExamples =
        ProcessInfo.processInfo.environment["BLUEZ_EXAMPLES"] != nil

    private let service = ServiceIdentifier(uuid: "FFE0")

    @Test(
        "A bless peripheral can be found, read, written, listened to and disconnected",
        .enabled(if: hasPython, "STRANGERS_PYTHON is not set: ./Tests/run sets it")
    )
    func bless() async throws {
        try await withTestbed(isRecorded: false) { context in
            let bless = try await context.peerProcess("bless_peripheral.py")
            let central = await context.central(adapter: "hci0")
            try await central.connect(try await central.find("FFE0"))
            func characteristic(_ uuid: String) -> CharacteristicIdentifier {
                CharacteristicIdentifier(uuid: uuid, service: service)
            }
            let text = try await central.value(of: characteristic("FFE1"), as: Data.self)
            #expect(text == Data("bless".utf8))
            let long = try await central.value(of: characteristic("FFE2"), as: Data.self)
            #expect(long == Data((0..<512).map { UInt8($0 % 251) }))
            try await central.write(Data([1, 2]), to: characteristic("FFE3"))
            try await central.write(Data([3]), to: characteristic("FFE4"), type: .withoutResponse)
            for (uuid, name) in [("FFE5", "notified"), ("FFE6", "indicated")] {
                await central.listen(characteristic(uuid), as: name)
                await central.settle()
                try await bless.order("send", ["characteristic": uuid, "value": "2a"])
                await central.wait(for: "\(name) 2a")
                try await central.endListen(characteristic(uuid))
            }
            try await central.disconnect()
        }
    }

    @Test(
        "BlueZ's example server can be found, read, written, listened to and disconnected",
        .enabled(
            if: hasPython && hasExamples,
            "BLUEZ_EXAMPLES is not set: ./Tests/RealBlueZ/run sets it"
        )
    )
    func examples() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.peerProcess("bluez_examples.py")
            let central = await context.central(adapter: "hci0")
            try await central.connect(try await central.find())
            #expect(try await central.value(of: location, as: UInt8.self) == 1)
            try await central.write(Data([1]), to: controlPoint)
            await #expect(throws: BluejayError.self) {
                try await central.write(Data([2]), to: controlPoint)
            }
            let test = ServiceIdentifier(uuid: "12345678-1234-5678-1234-56789abcdef0")
            let value = CharacteristicIdentifier(
                uuid: "12345678-1234-5678-1234-56789abcdef1",
                service: test
            )
            let written = Data((0..<100).map { UInt8($0) })
            try await central.write(written, to: value)
            #expect(try await central.value(of: value, as: Data.self) == written)
            await central.listen(measurement)
            await central.wait(for: "value")
            try await central.endListen(measurement)
            try await central.disconnect()
        }
    }
}
