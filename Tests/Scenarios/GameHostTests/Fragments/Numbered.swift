import Foundation

func numbered(_ number: UInt32) -> Data {
    Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
}

func number(of message: Data) -> UInt32 {
    message.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
}
