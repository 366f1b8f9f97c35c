import Foundation
import MeshSupport
import Testing

@Suite("Requests to a mesh radio and its responses")
struct MeshPacketTests {
    private static let key = Data((0..<UInt8(MeshResponse.keyLength)).map { $0 })

    static let commands: [(MeshCommand, [UInt8])] = [
        (.start(name: "MCore"), [1, 3, 32, 32, 32, 32, 32, 32] + Array("MCore".utf8)),
        (.text("hé", at: 0x0403_0201), [3, 0, 0, 1, 2, 3, 4, 0x68, 0xC3, 0xA9]),
        (.requestTime, [5]),
        (.other(Data([0x16, 1])), [0x16, 1]),
    ]

    @Test("A command has the bytes of the firmware's protocol", arguments: commands)
    func command(_ command: MeshCommand, _ bytes: [UInt8]) {
        #expect(Array(command.data) == bytes)
        #expect(MeshCommand(Data(bytes)) == command)
    }

    static let answers: [(MeshResponse, [UInt8])] = [
        (.ok, [0]), (.refused(6), [1, 6]), (.time(0x0403_0201), [9, 1, 2, 3, 4]),
        (.text("hé", at: 0x0403_0201), [8, 0, 255, 0, 1, 2, 3, 4, 0x68, 0xC3, 0xA9]),
        (.advert(key: key), [0x80] + Array(key)), (.other(Data([0x83])), [0x83]),
    ]

    @Test("A response has the bytes of the firmware's protocol", arguments: answers)
    func answer(_ answer: MeshResponse, _ bytes: [UInt8]) {
        #expect(Array(answer.data) == bytes)
        #expect(MeshResponse(Data(bytes)) == answer)
    }

    @Test("The radio information has 58 bytes, including the key, before the name")
    func selfInfo() {
        let answer = MeshResponse.selfInfo(key: Self.key, name: "Radio")
        let data = answer.data
        #expect(data.count == 58 + 5)
        #expect(data[0] == 5)
        #expect(data[4..<36] == Self.key)
        #expect(MeshResponse(data) == answer)
        #expect(MeshResponse(data.prefix(57)) == .other(data.prefix(57)))
    }

    @Test(
        "Truncated packets and slices of longer data keep their bytes",
        arguments: [[], [1], [1, 3, 32], [3, 0, 0, 1], [8, 0], [9, 1, 2], [0x80, 1]] as [[UInt8]]
    )
    func short(bytes: [UInt8]) {
        let slice = Data([0xFF] + bytes).dropFirst()
        #expect(MeshCommand(slice).data == Data(bytes))
        #expect(MeshResponse(slice).data == Data(bytes))
    }

    @Test("Received text contains no control characters")
    func printable() {
        #expect("\(MeshResponse.text("a\u{1B}[2Jb", at: 0))" == "a�[2Jb")
        #expect("\(MeshCommand.start(name: "\u{07}"))" == "hello from �")
    }
}
