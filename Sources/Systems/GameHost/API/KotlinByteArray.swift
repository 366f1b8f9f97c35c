/// Bytes with the Swift interface of Kotlin's `ByteArray`, for code that was written for a Kotlin SDK.
///
/// This module does not use it; a ``BrainSDK`` receives `Data`.
public final class KotlinByteArray {
    /// The number of bytes.
    public let size: Int32
    private var bytes: [Int8]

    /// Creates an array of zeros, which is empty for a negative size.
    public init(size: Int32) {
        self.size = max(0, size)
        bytes = Array(repeating: 0, count: Int(max(0, size)))
    }

    /// Returns one byte.
    ///
    /// - Parameter index: From 0 to `size - 1`; any other index traps, as in an array.
    /// - Returns: The byte.
    public func get(index: Int32) -> Int8 { bytes[Int(index)] }

    /// Sets one byte.
    ///
    /// - Parameters:
    ///   - index: As in ``get(index:)``.
    ///   - value: The byte.
    public func set(index: Int32, value: Int8) { bytes[Int(index)] = value }
}
