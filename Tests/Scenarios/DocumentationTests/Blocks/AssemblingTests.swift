import Bluejay
import BluejaySimulator
import Foundation
import Testing

private enum Characteristics {
    static let rigadoTX = CharacteristicIdentifier(uuid: "FF11", service: heartRateService)
    static let rigadoRX = CharacteristicIdentifier(uuid: "FF12", service: heartRateService)
}

private enum Registers {
    enum system {
        static let firmwareVersion: UInt16 = 0x0102
    }
}

private struct ReadRequest: Sendable {
    let handle: UInt16

    func toBluetoothData() -> Data { Bluejay.combine(sendables: [UInt8(1), handle]) }
}

private struct FirmwareVersion: Receivable {
    static let length = 5
    let string: String

    init(bluetoothData: Data) throws {
        string = try String(bluetoothData: bluetoothData)
    }
}

private final class Settings {
    var firmware: String?
}

// Its task uses constants only, which justifies `@unchecked`.
private class FirmwareScreen: Screen, @unchecked Swift.Sendable {
    let settings = Settings()

    func readVersion() {
        let notes = notes
        bluejay.run(
            backgroundTask: { try self.readVersion($0) },
            completionOnMainThread: { result in notes.write("ended \(result)") }
        )
    }

    // swift-format-ignore
    func readVersion(_ peripheral: SynchronizedPeripheral) throws {
        let settings = settings
        // document: 31 write and assemble
        try peripheral.writeAndAssemble(
            writeTo: Characteristics.rigadoTX,
            value: ReadRequest(handle: Registers.system.firmwareVersion),
            listenTo: Characteristics.rigadoRX,
            expectedLength: FirmwareVersion.length,
            completion: { (firmwareVersion: FirmwareVersion) -> ListenAction in
                settings.firmware = firmwareVersion.string
                return .done
        })
        // end
    }
}

@Suite("Blocks of the iOS README: write and assemble", .timeLimit(.minutes(15)))
struct AssemblingTests {
    private func module(_ notes: Notes) -> [ScriptedCharacteristic] {
        [
            ScriptedCharacteristic(
                "FF11",
                ["write"],
                .decides { bytes in
                    notes.write("asked \(bytes)")
                    return nil
                }
            ),
            ScriptedCharacteristic("FF12", ["notify"], .value([])),
        ]
    }

    @Test("Block 31 assembles a value from three packets")
    func assemble() async throws {
        try await with(FirmwareScreen.self) { stage in
            await stage.connect(to: module(stage.notes))
            await stage.on { $0.readVersion() }
            // The integer is sent in little-endian order.
            await stage.notes.wait(for: "asked [1, 2, 1]")
            await stage.device { device in
                for part in ["1", ".4.", "2"] { device.send(Array(part.utf8), on: "FF12") }
            }
            await stage.notes.wait(for: "ended")
            #expect(stage.notes.lines.last == "ended success()")
            check(await stage.read { $0.settings.firmware }, is: "1.4.2")
            check(await stage.ask { $0.listenerCount(of: "FF12") }, is: 0)
        }
    }

    @Test("Block 31 fails if more bytes arrive than expected")
    func tooMuch() async throws {
        try await with(FirmwareScreen.self) { stage in
            await stage.connect(to: module(stage.notes))
            await stage.on { $0.readVersion() }
            await stage.notes.wait(for: "asked")
            await stage.device { $0.send(Array("1.4.20".utf8), on: "FF12") }
            await stage.notes.wait(for: "ended")
            let error = BluejayError.tooMuchData(expected: 5, received: Data("1.4.20".utf8))
            #expect(
                stage.notes.lines.last
                    == "ended failure(listen to FF12 of Gadget (C0:00:00:00:00:01): \(error))"
            )
            check(await stage.read { $0.settings.firmware == nil }, is: true)
        }
    }
}
