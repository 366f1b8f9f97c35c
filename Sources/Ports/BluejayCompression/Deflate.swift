internal import CBluejayZlib
package import FoundationEssentials

/// Raw deflate streams (RFC 1951), the format that Apple's frameworks call zlib.
package enum Deflate {
    /// The reason that data cannot be expanded.
    package enum Failure: Error, Equatable {
        /// The result would exceed the limit.
        case tooLong(limit: Int)
        /// The data is not exactly one complete stream.
        case malformed
    }

    /// Compresses data.
    ///
    /// Incompressible data becomes a few bytes longer.
    ///
    /// - Parameter data: At most 4 GiB.
    /// - Returns: The stream.
    package static func compressed(_ data: Data) -> Data {
        let room = bluejay_deflate_bound(data.count)
        // Fails only if memory is exhausted; Swift's own allocations would have ended the process before
        // that.
        return (try? unsafe work(data, room: room, bluejay_deflate)) ?? Data()
    }

    /// Expands data up to a limit, because a few bytes can expand to gigabytes.
    ///
    /// - Parameters:
    ///   - data: A raw deflate stream.
    ///   - limit: The maximum length of the result, in bytes.
    /// - Returns: The original data.
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
