import Foundation

/// Plays one input of libFuzzer, and ends the process if the transport breaks a promise.
@_cdecl("LLVMFuzzerTestOneInput")
public func playInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Data(UnsafeBufferPointer(start: bytes, count: count))
    do {
        try TransportFuzzing.play(input)
    } catch {
        // libFuzzer saves the input of a process that ends.
        fatalError("\(error)")
    }
    return 0
}
