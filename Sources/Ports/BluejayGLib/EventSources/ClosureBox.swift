/// A closure that C code holds until it releases it.
final class ClosureBox {
    let work: () -> Void

    private init(_ work: @escaping () -> Void) { self.work = work }

    /// Returns a pointer for `from`, valid until `release`.
    static func retained(_ work: @escaping () -> Void) -> UnsafeMutableRawPointer {
        unsafe Unmanaged.passRetained(ClosureBox(work)).toOpaque()
    }

    static func from(_ data: UnsafeMutableRawPointer?) -> ClosureBox? {
        unsafe data.map { unsafe Unmanaged<ClosureBox>.fromOpaque($0).takeUnretainedValue() }
    }

    static func release(_ data: UnsafeMutableRawPointer?) {
        if let data = unsafe data { unsafe Unmanaged<ClosureBox>.fromOpaque(data).release() }
    }
}
