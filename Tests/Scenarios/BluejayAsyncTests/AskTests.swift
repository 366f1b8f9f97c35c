import Bluejay
import BluejayAsync
import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport
import Testing

/// A device that returns what is written to FFE1, or answers on FFE2.
private struct AnsweringStage {
    static let address = "C0:00:00:00:00:07"
    static let service = ServiceIdentifier(uuid: "FFE0")
    static let port = CharacteristicIdentifier(uuid: "FFE1", service: service)
    static let answer = CharacteristicIdentifier(uuid: "FFE2", service: service)
    static let silent = CharacteristicIdentifier(uuid: "FFE3", service: service)

    let stage: AsyncStage
    var bluejay: Bluejay { stage.bluejay }

    init(answers: [[UInt8]] = []) async throws {
        stage = try await AsyncStage()
        await stage.system.perform { system in
            let device = SimulatedDevice(address: Self.address, name: "Port", advertising: ["FFE0"])
            device.addService(
                "FFE0",
                [
                    ScriptedCharacteristic(
                        "FFE1",
                        ["write", "write-without-response", "notify"],
                        .echoes([])
                    ),
                    ScriptedCharacteristic("FFE2", ["notify"], .value([])),
                    ScriptedCharacteristic(
                        "FFE3",
                        ["write", "notify"],
                        .decides { [own = WeakDevice(device)] _ in
                            for value in answers { own.device?.send(value, on: "FFE2") }
                            return nil
                        }
                    ),
                ]
            )
            system.add(device)
        }
        bluejay.reconnectOptions = ReconnectOptions(maximumAttempts: 0)
        try await bluejay.connect(toFirst: .name("Port"), within: 20)
    }

    func device<R: Swift.Sendable>(
        _ work: @escaping @Sendable (SimulatedDevice) -> R
    ) async -> R? {
        await stage.system.read { $0.device(Self.address).map(work) } ?? nil
    }
}

// Used on the context of the simulation only.
private final class WeakDevice: @unchecked Swift.Sendable {
    private(set) weak var device: SimulatedDevice?

    init(_ device: SimulatedDevice) { self.device = device }
}

/// Tests `AskOperation`.
@Suite("Requests with a response", .timeLimit(.minutes(15)))
struct AskTests {
    @Test("The first value after the write is the response, and notifications end")
    func answer() async throws {
        let port = try await AnsweringStage()
        for number in UInt8(1)...3 {
            let answer = try await port.bluejay.ask(
                AnsweringStage.port,
                writing: number,
                as: UInt8.self
            )
            #expect(answer == number)
        }
        _ = try? await port.bluejay.read(from: AnsweringStage.answer)
        #expect(await port.device { $0.listenerCount(of: "FFE1") } == 0)
    }

    @Test("A condition skips other values and those that cannot be decoded")
    func condition() async throws {
        let port = try await AnsweringStage(answers: [[1], [2], [3, 0], [4, 0]])
        let answer = try await port.bluejay.ask(
            AnsweringStage.silent,
            writing: UInt8(0),
            answer: AnsweringStage.answer,
            as: UInt16.self,
            where: { $0 > 3 }
        )
        #expect(answer == 4)
    }

    @Test("Without a condition, a value that cannot be decoded fails the request")
    func undecodable() async throws {
        let port = try await AnsweringStage(answers: [[1]])
        await #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 2, count: 1)) {
            try await port.bluejay.ask(
                AnsweringStage.silent,
                writing: UInt8(0),
                answer: AnsweringStage.answer,
                as: UInt16.self
            )
        }
    }

    @Test("Several notifications are merged into one response")
    func merged() async throws {
        let port = try await AnsweringStage(answers: [[0x68], [0x69, 0x0A, 0x21]])
        let answer = try await port.bluejay.ask(
            AnsweringStage.silent,
            writing: UInt8(0),
            answer: AnsweringStage.answer,
            as: String.self,
            merging: .lines
        )
        #expect(answer == "hi")
    }

    @Test("A request without a response times out, and the next call runs")
    func late() async throws {
        let port = try await AnsweringStage()
        await #expect(throws: BluejayError.operationTimedOut) {
            try await port.bluejay.ask(
                AnsweringStage.silent,
                writing: UInt8(0),
                as: UInt8.self,
                within: .seconds(0.2)
            )
        }
        let answer = try await port.bluejay.ask(
            AnsweringStage.port,
            writing: UInt8(9),
            as: UInt8.self
        )
        #expect(answer == 9)
    }

    @Test("Two concurrent requests complete in order beside a stream that receives all values")
    func twoUsers() async throws {
        let port = try await AnsweringStage()
        let bluejay = port.bluejay
        let values = bluejay.values(of: AnsweringStage.port, as: UInt8.self)
        async let first = bluejay.ask(AnsweringStage.port, writing: UInt8(1), as: UInt8.self)
        async let second = bluejay.ask(AnsweringStage.port, writing: UInt8(2), as: UInt8.self)
        #expect(try await first == 1)
        #expect(try await second == 2)
        var received: [UInt8] = []
        for try await value in values.prefix(2) { received.append(value) }
        #expect(received.sorted() == [1, 2])
    }

    @Test("The stream of another caller continues after the response")
    func streamStays() async throws {
        let port = try await AnsweringStage()
        let bluejay = port.bluejay
        var values = bluejay.values(of: AnsweringStage.port, as: UInt8.self).makeAsyncIterator()
        #expect(try await bluejay.ask(AnsweringStage.port, writing: UInt8(1), as: UInt8.self) == 1)
        #expect(try await values.next() == 1)
        try await bluejay.write(to: AnsweringStage.port, value: UInt8(5))
        #expect(try await values.next() == 5)
    }

    @Test("A request ends with its task and with the link")
    func ended() async throws {
        let port = try await AnsweringStage()
        let bluejay = port.bluejay
        let task = Task {
            try await bluejay.ask(AnsweringStage.silent, writing: UInt8(0), as: UInt8.self)
        }
        while await port.device({ $0.writes.isEmpty }) == true {
            try await Task.sleep(for: .milliseconds(5))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let second = Task {
            try await bluejay.ask(AnsweringStage.silent, writing: UInt8(0), as: UInt8.self)
        }
        while await port.device({ $0.writes.count }) == 1 {
            try await Task.sleep(for: .milliseconds(5))
        }
        _ = await port.device { $0.dropLink() }
        let error = await #expect(throws: BluejayError.self) { try await second.value }
        #expect(error?.code == .linkLost || error?.code == .notConnected)
    }

    @Test("A request fails if the characteristic for the response is missing")
    func refused() async throws {
        let port = try await AnsweringStage()
        let missing = CharacteristicIdentifier(uuid: "FFE9", service: AnsweringStage.service)
        await #expect(throws: BluejayError.missingCharacteristic(missing)) {
            try await port.bluejay.ask(
                AnsweringStage.port,
                writing: UInt8(0),
                answer: missing,
                as: UInt8.self
            )
        }
        #expect(await port.device { $0.writes.isEmpty } == true)
    }
}

@Suite("Values longer than a packet", .timeLimit(.minutes(15)))
struct LongValueTests {
    private static let value = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })

    @Test("The parts are written in order, without other writes between them, and report progress")
    func pieces() async throws {
        let port = try await AnsweringStage()
        let bluejay = port.bluejay
        let progress = LockedValue<[Int]>([])
        async let whole: Void = bluejay.write(
            to: AnsweringStage.port,
            contentsOf: Self.value,
            inPiecesOf: 300
        ) { count in progress.update { $0.append(count) } }
        async let other: Void = bluejay.write(
            to: AnsweringStage.port,
            value: UInt8(7),
            type: .withoutResponse
        )
        try await whole
        try await other
        #expect(progress.value == [300, 600, 900, 1000])
        // A write without response is complete before the peripheral has received it.
        try await wait { await port.device { $0.writes.count } == 5 }
        let writes = await port.device { $0.writes.map { Data($0.value) } } ?? []
        let own = writes.filter { $0.count > 1 }
        #expect(own.map(\.count) == [300, 300, 300, 100])
        #expect(own.reduce(Data(), +) == Self.value)
        #expect(writes.first?.count == 1 || writes.last?.count == 1)
    }

    @Test("Without a length, each part fills one packet, and an empty value is one empty write")
    func packets() async throws {
        let port = try await AnsweringStage()
        let length = try await port.bluejay.maximumWriteValueLength(for: .withoutResponse)
        try await port.bluejay.write(
            to: AnsweringStage.port,
            contentsOf: Self.value,
            type: .withResponse
        )
        try await port.bluejay.write(to: AnsweringStage.port, contentsOf: Data())
        try await wait { await port.device { $0.writes.last?.value.isEmpty } == true }
        let writes = await port.device { $0.writes.map { Data($0.value) } } ?? []
        #expect(writes.first?.count == min(length, 1000))
        #expect(writes.reduce(Data(), +) == Self.value)
        #expect(writes.last == Data())
    }

    @Test("Twenty thousand parts do not exhaust the stack, and a rejected part ends the write")
    func many() async throws {
        let port = try await AnsweringStage()
        try await port.bluejay.write(
            to: AnsweringStage.port,
            contentsOf: Data(count: 20_000),
            inPiecesOf: 0
        )
        await #expect(throws: BluejayError.self) {
            try await port.bluejay.write(to: AnsweringStage.answer, contentsOf: Self.value)
        }
    }

    @Test("Lines split across notifications arrive complete")
    func lines() async throws {
        let port = try await AnsweringStage()
        let lines = port.bluejay.values(of: AnsweringStage.port, as: String.self, merging: .lines)
        try await port.bluejay.write(
            to: AnsweringStage.port,
            contentsOf: Data("first line\r\nsecond line\nthird".utf8),
            inPiecesOf: 4,
            type: .withResponse
        )
        var received: [String] = []
        for try await line in lines.prefix(2) { received.append(line) }
        #expect(received == ["first line", "second line"])
    }
}
