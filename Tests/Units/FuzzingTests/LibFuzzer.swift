import Foundation

/// The kind of input that `BLUEJAY_FUZZER` names.
private let fuzzing: Fuzzing = {
    let name = ProcessInfo.processInfo.environment["BLUEJAY_FUZZER"] ?? ""
    guard let fuzzing = Fuzzing.all.first(where: { $0.name == name }) else {
        fatalError(
            "BLUEJAY_FUZZER must be one of \(Fuzzing.all.map(\.name).joined(separator: ", "))"
        )
    }
    return fuzzing
}()

/// Plays one input of libFuzzer, and ends the process if the input breaks a guarantee.
@_cdecl("LLVMFuzzerTestOneInput")
public func playInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe Data(UnsafeBufferPointer(start: bytes, count: count))
    do {
        try fuzzing.play(input)
    } catch {
        // libFuzzer saves the input of a process that ends.
        fatalError("\(error)")
    }
    return 0
}
