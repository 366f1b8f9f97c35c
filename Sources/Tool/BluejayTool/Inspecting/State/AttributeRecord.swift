import BluejayCommandLine
import BluejayCore
import Foundation

/// The values of an attribute.
struct AttributeRecord {
    /// A received value.
    struct Value: Equatable {
        let data: Data
        /// The time of its arrival in seconds.
        let time: Double
    }

    private static let capacity = 100

    /// The latest values, the newest last.
    private(set) var values: [Value] = []
    /// The number of all values.
    private(set) var count = 0
    /// The reason that the last read has failed.
    private(set) var failure: ToolFailure?
    private(set) var plot = Plot()
    var isListening = false

    /// The newest value.
    var newest: Value? { values.last }

    /// Adds a value of an attribute.
    mutating func add(_ data: Data, of uuid: BluetoothUUID, at time: Double) {
        if values.count == Self.capacity { values.removeFirst() }
        values.append(Value(data: data, time: time))
        count += 1
        failure = nil
        let format = ValueFormat.auto.resolved(for: uuid)
        if let number = try? format.number(in: data) { plot.append(number) }
    }

    mutating func fail(_ failure: ToolFailure) { self.failure = failure }

    /// Returns a value as its format shows it, or its bytes if it does not fit.
    static func text(of data: Data, _ uuid: BluetoothUUID) -> String {
        let text = try? ValueFormat.auto.resolved(for: uuid).text(of: data)
        return (text ?? data.hexadecimal).printable
    }
}
