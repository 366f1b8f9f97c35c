/// Bytes as Kotlin's `ByteArray` shows itself to Swift, for code that was written beside a Kotlin SDK.
///
/// Nothing here needs it; `Data` is what a ``BrainSDK`` is given.
public final class KotlinByteArray {
    /// How many there are.
    public let size: Int32
    private var bytes: [Int8]

    /// Makes zeros; none for a negative size.
    public init(size: Int32) {
        self.size = max(0, size)
        bytes = Array(repeating: 0, count: Int(max(0, size)))
    }

    /// One byte.
    ///
    /// - Parameter index: From 0 to `size - 1`; any other ends the program, as an array does.
    /// - Returns: It.
    public func get(index: Int32) -> Int8 { bytes[Int(index)] }

    /// Sets one byte.
    ///
    /// - Parameters:
    ///   - index: As in ``get(index:)``.
    ///   - value: The byte.
    public func set(index: Int32, value: Int8) { bytes[Int(index)] = value }
}
