import Bluejay
import BluejayCommandLine
import Foundation

/// Writes the values of a characteristic in a format.
@MainActor
final class ValueWriter {
    private let characteristic: CharacteristicIdentifier
    /// The beginning of each line of text, which distinguishes the characteristics of one command.
    private let label: String?
    private let format: ValueFormat
    private let isJSON: Bool
    private let isPlot: Bool
    private let session: ToolSession
    private let handle: UInt16?
    private var plot = Plot()
    private var console: Console { session.console }

    init(
        _ characteristic: CharacteristicIdentifier,
        label: String? = nil,
        as format: ValueFormat,
        inJSON isJSON: Bool,
        plotting isPlot: Bool,
        on session: ToolSession
    ) async {
        self.characteristic = characteristic
        self.label = label
        self.format = format.resolved(for: characteristic.uuid)
        self.isJSON = isJSON
        self.isPlot = isPlot
        self.session = session
        handle = await session.handles().characteristics[characteristic]
    }

    /// Writes a value, or reports on standard error that it does not fit the format.
    ///
    /// - Returns: Whether the value was written.
    func write(_ value: Data) throws -> Bool {
        do {
            try writeFitting(value)
            return true
        } catch let failure as ToolFailure {
            let bytes = value.isEmpty ? "" : " (\(value.hexadecimal))"
            console.writeError("bluejay: \(failure.message)\(bytes)")
            return false
        }
    }

    private func writeFitting(_ value: Data) throws {
        if isJSON {
            try session.record(
                ValueJSON(value, of: characteristic, handle: handle, as: format)
            )
            // For a value that does not fit the format, the object contains only the bytes.
            if format != .raw { _ = try format.text(of: value) }
        } else if isPlot {
            plot.append(try format.number(in: value))
            console.draw([plot.line(width: console.columns ?? Plot.widthForPrograms)])
        } else if format == .raw {
            console.bytes(value)
        } else {
            let text = try format.text(of: value)
            let line = label.map { "\($0): \(text)" } ?? text
            console.line(console.isInteractive ? "\(Date().clockTime())  \(line)" : line)
        }
    }
}
