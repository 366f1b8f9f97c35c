import Foundation
import Testing

@testable import Bluejay

@Suite("Merging of notifications")
struct ValueMergingTests {
    private static func values(_ rule: ValueMerging, _ packets: [String]) throws -> [String] {
        var merger = ValueMerging.Merger(rule)
        return try packets.flatMap { try merger.receive(Data($0.utf8)) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Lines end with LF or CR LF, at any boundary of the notifications")
    func lines() throws {
        #expect(
            try Self.values(.lines, ["on", "e\r", "\ntwo\n\nth", "ree"]) == ["one", "two", ""]
        )
    }

    @Test("A separator of several bytes may be split, and an empty one ends each notification")
    func separators() throws {
        let rule = ValueMerging.separated(by: Data("ab".utf8))
        #expect(try Self.values(rule, ["1a", "b2a", "c", "ab"]) == ["1", "2ac"])
        #expect(try Self.values(.separated(by: Data()), ["1", "", "2"]) == ["1", "", "2"])
    }

    @Test("Values of a fixed length do not depend on the notification boundaries")
    func lengths() throws {
        #expect(try Self.values(.length(3), ["ab", "cdefg", "hi"]) == ["abc", "def", "ghi"])
        #expect(try Self.values(.length(0), ["ab"]) == ["a", "b"])
    }

    @Test("A length prefix is little-endian and counts the following bytes")
    func lengthPrefix() throws {
        var merger = ValueMerging.Merger(.lengthPrefixed(UInt16.self))
        #expect(try merger.receive(Data([2])) == [])
        #expect(try merger.receive(Data([0, 7, 8, 0, 0, 1])) == [Data([7, 8]), Data()])
        #expect(try merger.receive(Data([0, 9])) == [Data([9])])
    }

    @Test("A value longer than a mebibyte is an error, with or without a length prefix")
    func endless() throws {
        var lines = ValueMerging.Merger(.lines)
        let packet = Data(count: 65_536)
        for _ in 0..<16 { #expect(try lines.receive(packet) == []) }
        #expect(throws: BluejayError.valueTooLong(length: 1_114_112, limit: 1_048_576)) {
            try lines.receive(packet)
        }
        #expect(try lines.receive(Data("x\n".utf8)) == [Data("x".utf8)])
        var prefixed = ValueMerging.Merger(.lengthPrefixed(UInt64.self))
        #expect(try prefixed.receive(Data(repeating: 0xFF, count: 8)) == [])
        for _ in 0..<15 { #expect(try prefixed.receive(packet) == []) }
        #expect(throws: BluejayError.self) { try prefixed.receive(packet) }
    }
}
