import Foundation

@testable import Bluejay
@testable import BluejayDeviceFile
@testable import BluejaySimulator
@testable import BluejayTool
@testable import BluejayYAML
@testable import PocketMesh

/// Feeds the files that users and earlier runs write to their readers.
///
/// A reader throws for a file that it does not accept. A file that it accepts is the same after it is written.
enum FileFuzzing {
    static func play(_ bytes: Data) throws {
        var input = FuzzInput(bytes)
        let kind = input.number(below: 6)
        let file = Data(input.rest)
        switch kind {
        case 0: try playDevice(file, .json)
        case 1: try playDevice(file, .yaml)
        case 2: try playFaults(file)
        case 3: try playState(file)
        case 4: try check(file, as: SavedRadio.self)
        default: try check(file, as: AttributeCache.Content.self)
        }
    }

    private static func playDevice(_ file: Data, _ format: DeviceFileFormat) throws {
        let device: DeviceFile
        do throws(DeviceFileError) {
            device = try DeviceFile(file, format)
        } catch {
            return try expect(!error.description.isEmpty, "an error has no text")
        }
        for format in DeviceFileFormat.allCases {
            let written = try device.bytes(format)
            let text = String(decoding: written, as: UTF8.self)
            let again = Result { () throws(DeviceFileError) in try DeviceFile(written, format) }
            switch again {
            case .success(let again):
                try expect(again == device, "\(device) becomes \(again) in \(text)")
            case .failure(let error):
                throw Fuzzing.Violation(description: "\(error) in \(text)")
            }
        }
        _ = (device.notificationsByCharacteristic, device.advertisementLength)
    }

    private static func playFaults(_ file: Data) throws {
        let text = String(decoding: file, as: UTF8.self)
        guard let schedule = try? FaultSchedule(json: text) else { return }
        let written = schedule.json
        let again = Result { try FaultSchedule(json: written) }
        switch again {
        case .success(let again): try expect(again == schedule, "\(schedule) becomes \(again)")
        case .failure(let error): throw Fuzzing.Violation(description: "\(error) in \(written)")
        }
    }

    private static func playState(_ file: Data) throws {
        guard let state = try check(file, as: SavedState.self) else { return }
        _ = state.peripheral?.identifier
        for listen in state.listens {
            let identifier = listen.identifier
            _ = "\(identifier)"
            guard (try? identifier.validated()) != nil else { continue }
            let again = SavedState.Listen(identifier).identifier
            try expect(again == identifier, "\(identifier) becomes \(again)")
        }
    }

    @discardableResult
    private static func check<State: Codable & Equatable>(
        _ file: Data,
        as type: State.Type
    ) throws -> State? {
        guard let state = try? JSONDecoder().decode(type, from: file) else { return nil }
        let again = try JSONDecoder().decode(type, from: JSONEncoder().encode(state))
        try expect(again == state, "\(state) becomes \(again)")
        return state
    }
}
