internal import BluejaySimulator
internal import BluejayStreams
internal import Foundation

/// The faults described by a file.
enum FaultFileLoader {
    private static let maximumLengthInBytes = 16 * 1_048_576

    /// Loads a file; `-` is standard input.
    static func load(_ path: String) throws(DeviceFileLoader.Failure) -> FaultSchedule {
        let data: Data
        do {
            data = try InputFile.read(path, upTo: maximumLengthInBytes)
        } catch {
            throw DeviceFileLoader.Failure(description: "\(path) \(error.predicate)")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw DeviceFileLoader.Failure(description: "\(path): the file is not UTF-8")
        }
        do {
            return try FaultSchedule(json: text)
        } catch {
            throw DeviceFileLoader.Failure(description: "\(path): \(error)")
        }
    }
}
