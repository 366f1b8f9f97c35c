import ArgumentParser
import BluejayCore
import Foundation

/// A typed number with a fraction.
struct InputNumber {
    private let number: Double
    private let text: String
    private let format: String

    /// Parses decimal digits with an optional fraction and exponent.
    ///
    /// - Throws: `ValidationError` for other text, such as `nan`.
    init(_ text: String, _ format: String) throws {
        self.text = text
        self.format = format
        guard text.wholeMatch(of: #/[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/#) != nil,
            let number = Double(text)
        else {
            throw ValidationError("\(text) is not a number, such as 36.5 or -2e-3")
        }
        self.number = number
    }

    func float32() throws -> Data {
        let number = Float(self.number)
        try check(Double(number), Double(Float.greatestFiniteMagnitude))
        return number.toBluetoothData()
    }

    func float64() throws -> Data {
        try check(number, .greatestFiniteMagnitude)
        return number.toBluetoothData()
    }

    func sfloat() throws -> Data {
        let number = MedFloat16(self.number)
        try check(number.doubleValue, 2045e7)
        return number.toBluetoothData()
    }

    func float() throws -> Data {
        let number = MedFloat32(self.number)
        try check(number.doubleValue, 8_388_605e127)
        return number.toBluetoothData()
    }

    // The encoders round to infinity and to 0.
    private func check(_ encoded: Double, _ limit: Double) throws {
        guard encoded.isFinite else {
            throw ValidationError("\(text) is out of the range of \(format): \(-limit) to \(limit)")
        }
        let isZero = !text.prefix { !"eE".contains($0) }.contains { ("1"..."9").contains($0) }
        guard encoded != 0 || isZero else {
            throw ValidationError("\(text) is too close to 0 for \(format)")
        }
    }
}
