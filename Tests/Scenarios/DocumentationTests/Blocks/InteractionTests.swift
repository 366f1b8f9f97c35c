import Bluejay
import BluejaySimulator
import Foundation
import Testing

private let measurementOfHeartRate = heartRate

private class SensorScreen: Screen {
    let sensorLocationCell = TableViewCell()
    var heartRate: HeartRateMeasurement?

    // swift-format-ignore
    func readLocation() {
        let debugPrint = notes.write
        // document: 23 read
        let heartRateService = ServiceIdentifier(uuid: "180D")
        let sensorLocation = CharacteristicIdentifier(uuid: "2A38", service: heartRateService)

        bluejay.read(from: sensorLocation) { [weak self] (result: ReadResult<UInt8>) in
            guard let weakSelf = self else {
                 return
            }

            switch result {
            case .success(let location):
                debugPrint("Read from sensor location is successful: \(location)")

                var locationString = "Unknown"

                switch location {
                case 0:
                    locationString = "Other"
                case 1:
                    locationString = "Chest"
                case 2:
                    locationString = "Wrist"
                case 3:
                    locationString = "Finger"
                case 4:
                    locationString = "Hand"
                case 5:
                    locationString = "Ear Lobe"
                case 6:
                    locationString = "Foot"
                default:
                    locationString = "Unknown"
                }

                weakSelf.sensorLocationCell.detailTextLabel?.text = locationString
            case .failure(let error):
                debugPrint("Failed to read sensor location with error: \(error.localizedDescription)")
            }
        }
        // end
    }

    // swift-format-ignore
    func writeLocation() {
        let debugPrint = notes.write
        // document: 24 write
        let heartRateService = ServiceIdentifier(uuid: "180D")
        let sensorLocation = CharacteristicIdentifier(uuid: "2A38", service: heartRateService)

        bluejay.write(to: sensorLocation, value: UInt8(2)) { result in
            switch result {
            case .success:
                debugPrint("Write to sensor location is successful.")
            case .failure(let error):
                debugPrint("Failed to write sensor location with error: \(error.localizedDescription)")
            }
        }
        // end
    }

    // swift-format-ignore
    func listenToHeartRate() {
        let debugPrint = notes.write
        // document: 25 listen
        let heartRateService = ServiceIdentifier(uuid: "180D")
        let heartRateCharacteristic = CharacteristicIdentifier(uuid: "2A37", service: heartRateService)

        bluejay.listen(to: heartRateCharacteristic, multipleListenOption: .replaceable)
        { [weak self] (result: ReadResult<HeartRateMeasurement>) in
                guard let weakSelf = self else {
                    return
                }

                switch result {
                case .success(let heartRate):
                    weakSelf.heartRate = heartRate
                    weakSelf.tableView.reloadData()
                case .failure(let error):
                    debugPrint("Failed to listen with error: \(error.localizedDescription)")
                }
        }
        // end
    }

    func listen(_ name: String, _ option: MultipleListenOption) {
        bluejay.listen(to: measurementOfHeartRate, multipleListenOption: option) {
            [notes] (result: ReadResult<Data>) in
            switch result {
            case .success(let value): notes.write("\(name) heard \(Array(value))")
            case .failure(let error): notes.write("\(name): \(error)")
            }
        }
    }

    var location: String? { sensorLocationCell.detailTextLabel?.text }
}

private enum Document {
    // swift-format-ignore
    // document: 26 MultipleListenOption
    /// Ways to handle calling listen on the same characteristic multiple times.
    public enum MultipleListenOption: Int {
        /// New listen on the same characteristic will not overwrite an existing listen.
        case trap
        /// New listens on the same characteristic will replace the existing listen.
        case replaceable
    }
    // end
}

extension MultipleListenOption {
    /// Has no `default`, so the library and the document must have the same cases.
    fileprivate var documents: Document.MultipleListenOption {
        switch self {
        case .trap: .trap
        case .replaceable: .replaceable
        }
    }
}

private let sensor = [
    ScriptedCharacteristic("2A37", ["notify"], .value([])),
    ScriptedCharacteristic("2A38", ["read", "write"], .value([1])),
]

@Suite("Blocks of the iOS README: reading, writing, listening", .timeLimit(.minutes(15)))
struct InteractionTests {
    @Test("Block 8 identifies services and characteristics of the peripheral")
    func identifiers() async throws {
        try await with(SensorScreen.self) { stage in
            await stage.connect(to: sensor)
            await stage.on { screen in
                let notes = screen.notes
                screen.bluejay.read(from: bodySensorLocation) { (result: ReadResult<UInt8>) in
                    if case .success(let value) = result { notes.write("location \(value)") }
                }
                screen.listen("one", .trap)
            }
            await stage.notes.wait(for: "location 1")
            await stage.settle()
            await stage.device { $0.send([0, 60], on: "2A37") }
            await stage.notes.wait(for: "one heard [0, 60]")
        }
    }

    @Test("Block 21 decodes a measurement of 8 or 16 bits")
    func receivable() throws {
        #expect(try HeartRateMeasurement(bluetoothData: Data([0, 72])).measurement == 72)
        #expect(try HeartRateMeasurement(bluetoothData: Data([1, 0x2C, 1])).measurement == 300)
        #expect(throws: BluejayError.dataOutOfBounds(start: 1, length: 2, count: 2)) {
            try HeartRateMeasurement(bluetoothData: Data([1, 72]))
        }
    }

    @Test("Block 22 writes the combined bytes of a model")
    func sendable() async throws {
        try await with(SensorScreen.self) { stage in
            await stage.connect(to: sensor)
            await stage.on { screen in
                let notes = screen.notes
                let coffee = Coffee(coffee: .cappuccino)
                screen.bluejay.write(to: bodySensorLocation, value: coffee) { result in
                    if case .success = result { notes.write("written") }
                }
            }
            await stage.notes.wait(for: "written")
            #expect(await stage.writes() == ["2A38 [2]"])
        }
    }

    @Test(
        "Block 23 shows the location",
        arguments: [(1, "Chest"), (2, "Wrist"), (5, "Ear Lobe"), (9, "Unknown")]
    )
    func read(value: UInt8, text: String) async throws {
        try await with(SensorScreen.self) { stage in
            await stage.connect(to: [ScriptedCharacteristic("2A38", ["read"], .value([value]))])
            await stage.on { $0.readLocation() }
            await stage.notes.wait(for: "Read from sensor location is successful: \(value)")
            check(await stage.read { $0.location }, is: text)
        }
    }

    @Test("Block 23 reports a rejected read with the reason")
    func refusedRead() async throws {
        try await with(SensorScreen.self) { stage in
            await stage.connect(to: [ScriptedCharacteristic("2A38", ["read"], .refuses(0x80))])
            await stage.on { $0.readLocation() }
            await stage.notes.wait(for: "Failed to read sensor location with error: ")
            #expect(stage.notes.lines.last?.contains("0x80") == true)
            check(await stage.read { $0.location == nil }, is: true)
        }
    }

    @Test("Block 24 writes a byte")
    func write() async throws {
        try await with(SensorScreen.self) { stage in
            await stage.connect(to: sensor)
            await stage.on { $0.writeLocation() }
            await stage.notes.wait(for: "Write to sensor location is successful.")
            #expect(await stage.writes() == ["2A38 [2]"])
        }
    }

    @Test("Block 24 reports a rejected write with the reason")
    func refusedWrite() async throws {
        try await with(SensorScreen.self) { stage in
            await stage.connect(to: [ScriptedCharacteristic("2A38", ["write"], .refuses(0x81))])
            await stage.on { $0.writeLocation() }
            await stage.notes.wait(for: "Failed to write sensor location with error: ")
            #expect(stage.notes.lines.last?.contains("0x81") == true)
        }
    }

    @Test("Block 25 shows each measurement and reports a short one as an error")
    func listen() async throws {
        try await with(SensorScreen.self) { stage in
            await stage.connect(to: sensor)
            await stage.on { $0.listenToHeartRate() }
            await stage.settle()
            await stage.device { $0.send([0, 61], on: "2A37") }
            await stage.notes.wait(for: "table reloaded")
            check(await stage.read { $0.heartRate?.measurement }, is: 61)
            await stage.device { $0.send([0], on: "2A37") }
            await stage.notes.wait(for: "Failed to listen with error: ")
            await stage.device { $0.send([1, 0x2C, 1], on: "2A37") }
            await stage.notes.wait(for: "table reloaded", count: 2)
            check(await stage.read { $0.heartRate?.measurement }, is: 300)
        }
    }

    @Test("Block 26 keeps a trapping listen and replaces a replaceable one")
    func multipleListens() async throws {
        #expect(Document.MultipleListenOption.trap.rawValue == MultipleListenOption.trap.rawValue)
        #expect(Document.MultipleListenOption(rawValue: 1) == .replaceable)
        #expect(MultipleListenOption(rawValue: 1)?.documents == .replaceable)
        let listen = "listen to 2A37 of Gadget (C0:00:00:00:00:01): "
        try await with(SensorScreen.self) { stage in
            await stage.connect(to: sensor)
            await stage.on { screen in
                screen.listen("one", .trap)
                screen.listen("two", .replaceable)
            }
            await stage.notes.wait(for: "two: \(listen)\(BluejayError.multipleListenTrapped)")
            await stage.settle()
            await stage.device { $0.send([3], on: "2A37") }
            await stage.notes.wait(for: "one heard [3]")
        }
        try await with(SensorScreen.self) { stage in
            await stage.connect(to: sensor)
            await stage.on { screen in
                screen.listen("one", .replaceable)
                screen.listen("two", .replaceable)
            }
            await stage.notes.wait(for: "one: \(listen)\(BluejayError.multipleListenReplaced)")
            await stage.settle()
            await stage.device { $0.send([4], on: "2A37") }
            await stage.notes.wait(for: "two heard [4]")
            #expect(!stage.notes.lines.contains("one heard [4]"))
        }
    }
}
