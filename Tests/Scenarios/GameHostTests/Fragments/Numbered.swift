import Foundation

/// A message that starts with its number.
func numbered(_ number: UInt32) -> Data {
    Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
}

/// The number at the start of a message.
func number(of message: Data) -> UInt32 {
    message.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
}
