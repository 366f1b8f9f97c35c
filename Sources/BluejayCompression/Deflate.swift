internal import CBluejayZlib
package import FoundationEssentials

/// Raw deflate streams (RFC 1951), which Apple's frameworks call zlib, too.
package enum Deflate {
    /// Why data could not be expanded.
    package enum Failure: Error, Equatable {
        /// It would be longer than the limit; nothing behind that was made.
        case tooLong(limit: Int)
        /// It is no stream, or one that ends too early or is followed by something else.
        case malformed
    }

    /// Compresses data; what cannot be made shorter becomes a few bytes longer.
    ///
    /// - Parameter data: At most 4 GiB.
    /// - Returns: The stream.
    package static func compressed(_ data: Data) -> Data {
        let room = bluejay_deflate_bound(data.count)
        // It fails without memory only, and then the process has ended before.
        return (try? unsafe work(data, room: room, bluejay_deflate)) ?? Data()
    }

    /// Expands data, no further than to a limit: a few bytes may stand for gigabytes.
    ///
    /// - Parameters:
    ///   - data: What ``compressed(_:)`` or another deflater made.
    ///   - limit: In bytes, of the result.
    /// - Returns: What was compressed.
    /// - Throws: ``Failure``.
    package static func expanded(_ data: Data, limit: Int) throws(Failure) -> Data {
        var room = min(limit, max(1024, data.count * 4))
        while true {
            do throws(Failure) {
                return try unsafe work(data, room: room, bluejay_inflate)
            } catch .tooLong where room < limit {
                room = min(limit, room * 4)
            } catch .tooLong {
                throw .tooLong(limit: limit)
            }
        }
    }

    private typealias Function =
        @convention(c) (
            UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?, Int,
            UnsafeMutablePointer<Int>?
        ) -> bluejay_zlib_result

    private static func work(
        _ data: Data,
        room: Int,
        _ function: Function
    ) throws(Failure) -> Data {
        var output = [UInt8](repeating: 0, count: max(room, 1))
        var made = 0
        let input = [UInt8](data)
        let result = unsafe function(input, input.count, &output, room, &made)
        switch result {
        case BLUEJAY_ZLIB_DONE: return Data(output.prefix(made))
        case BLUEJAY_ZLIB_NO_ROOM: throw .tooLong(limit: room)
        default: throw .malformed
        }
    }
}
