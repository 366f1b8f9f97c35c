import Foundation
import TestTraits
import Testing

@testable import Bleu

@Suite("Encrypted frames", .encrypted)
struct SealedTransportTests {
    private func link() throws -> (central: BLETransport, peripheral: BLETransport) {
        var central = BLETransport(receiving: .fromPeripheral)
        var peripheral = BLETransport(receiving: .fromCentral)
        let one = try #require(encryptedSessions).makeKeyAgreement()
        let other = try #require(encryptedSessions).makeKeyAgreement()
        central.cipher = try one.makeCipher(peerKey: other.publicKey, isCentral: true)
        peripheral.cipher = try other.makeCipher(peerKey: one.publicKey, isCentral: false)
        return (central, peripheral)
    }

    private func message(_ kind: FrameKind, _ body: Data, call: UInt16 = 1) -> Message {
        Message(kind: kind, session: 9, call: call, flags: .needsNoReply, body: body)
    }

    @Test(
        "Messages of all lengths arrive, and their text does not appear in the frames",
        .computing
    )
    func lengths() throws {
        var (central, peripheral) = try link()
        let text = Data("a secret of the thermometer ".utf8)
        for (call, count) in [0, 1, 2, 40, 5_000, 37_000].enumerated() {
            let body = Data(repeatElement(text, count: count).joined())
            let message = message(.call, body, call: UInt16(call))
            let frames = try central.frames(of: message, frameSize: 182)
            #expect(frames.allSatisfy { $0.range(of: text.prefix(8)) == nil })
            #expect(peripheral.receive(all: frames).last == .message(message))
        }
    }

    @Test("The longest message arrives although sealing extends it")
    func longest() throws {
        var (central, peripheral) = try link()
        let message = message(.call, .noise(1 << 20))
        let frames = try central.frames(of: message, frameSize: 510)
        #expect(peripheral.receive(all: frames).last == .message(message))
    }

    @Test("On a link with a cipher, a clear message is damaged unless it is a key or a refusal")
    func clearText() throws {
        var (central, peripheral) = try link()
        var stranger = BLETransport(receiving: .fromCentral)
        for kind in FrameKind.allCases {
            let message = message(kind, Data("[]".utf8))
            let frames = try stranger.frames(of: message, frameSize: 182)
            let outcome =
                kind.direction == .fromCentral
                ? peripheral.receive(all: frames).last : central.receive(all: frames).last
            let isAccepted = [.hello, .helloReply, .refusal].contains(kind)
            #expect(
                outcome == (isAccepted ? .message(message) : .damaged(session: 9, call: 1)),
                "\(kind)"
            )
        }
    }

    @Test("A public key is sent in clear text, and any other message is sealed")
    func sealedKinds() throws {
        var (central, peripheral) = try link()
        var stranger = BLETransport(receiving: .fromCentral)
        var other = BLETransport(receiving: .fromPeripheral)
        for kind in FrameKind.allCases {
            let message = message(kind, Data("[]".utf8))
            let isClear: Bool
            if kind.direction == .fromCentral {
                let frames = try central.frames(of: message, frameSize: 182)
                isClear = stranger.receive(all: frames).last == .message(message)
            } else {
                let frames = try peripheral.frames(of: message, frameSize: 182)
                isClear = other.receive(all: frames).last == .message(message)
            }
            #expect(isClear == (kind == .hello || kind == .helloReply), "\(kind)")
        }
    }

    @Test("A recorded message in another call, kind or session is damaged")
    func headers() throws {
        for (position, value) in [(0, UInt8(0x12)), (1, 8), (3, 7)] {
            var (central, peripheral) = try link()
            let frame = try central.frames(of: message(.call, Data()), frameSize: 182)[0]
            let body = frame.dropFirst(16)
            let key = MessageKey(
                kind: position == 0 ? .fetch : .call,
                session: position == 1 ? 8 : 9,
                call: position == 3 ? 7 : 1
            )
            let content = MessageHeader([.sealed, .needsNoReply], Data(body), of: key)
            let forged = FrameSequence(
                prefix: key.prefix,
                content: content.encoded + body,
                payloadLength: 175
            )
            #expect(forged[0][position] == value)
            let outcome = peripheral.receive(forged[0], now: .zero)
            #expect(outcome == .damaged(session: key.session, call: key.call))
        }
    }

    @Test(
        "A message on another characteristic is damaged, in both directions, even by its last frame"
    )
    func characteristics() throws {
        for (kind, length) in [(FrameKind.call, 2), (.cancel, 0), (.value, 2), (.call, 100)] {
            var (central, peripheral) = try link()
            let message = message(kind, .noise(length))
            let isCall = kind.direction == .fromCentral
            let frames = Array(
                isCall
                    ? try central.frames(of: message, frameSize: 64, on: "dim")
                    : try peripheral.frames(of: message, frameSize: 64, on: "dim")
            )
            var outcome: BLETransport.Outcome?
            for (index, frame) in frames.enumerated() {
                let place = index == frames.count - 1 ? "unlock" : "dim"
                outcome =
                    isCall
                    ? peripheral.receive(frame, on: place, now: .zero)
                    : central.receive(frame, on: place, now: .zero)
            }
            #expect(outcome == .damaged(session: 9, call: 1), "\(kind)")
        }
    }

    @Test("A repeated message is damaged, even after many others")
    func replay() throws {
        var (central, peripheral) = try link()
        let recorded = Array(try central.frames(of: message(.call, .noise(50)), frameSize: 20))
        #expect(peripheral.receive(all: recorded).messages.count == 1)
        for call in UInt16(2)..<100 {
            let frames = try central.frames(
                of: message(.cancel, Data(), call: call),
                frameSize: 182
            )
            #expect(peripheral.receive(all: frames).messages.count == 1)
        }
        let outcomes = peripheral.receive(all: recorded)
        #expect(outcomes.messages.isEmpty)
        #expect(outcomes.last == .damaged(session: 9, call: 1))
    }

    @Test("Messages with interleaved frames open in the order of their last frames")
    func interleaved() throws {
        var (central, peripheral) = try link()
        let long = try central.frames(of: message(.call, .noise(100), call: 1), frameSize: 20)
        let short = try central.frames(of: message(.credit, .noise(4), call: 2), frameSize: 20)
        let outcomes = peripheral.receive(all: [long[0]] + Array(short) + long.dropFirst())
        #expect(outcomes.messages.map(\.call) == [2, 1])
    }
}
