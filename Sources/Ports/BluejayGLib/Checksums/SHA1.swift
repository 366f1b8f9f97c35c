internal import CBluejay
package import FoundationEssentials

/// SHA-1 (RFC 3174), computed by GLib.
///
/// SHA-1 gives no protection; Bluejay uses it for names only.
package enum SHA1 {
    /// Returns the 20 bytes of the digest.
    package static func digest(of data: Data) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        unsafe data.withUnsafeBytes { bytes in
            let bytes = unsafe bytes.bindMemory(to: UInt8.self)
            unsafe bluejay_sha1(bytes.baseAddress, bytes.count, &digest)
        }
        return digest
    }
}
