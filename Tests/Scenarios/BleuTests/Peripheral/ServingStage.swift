import BluejayCore
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation
import Synchronization
import Testing

@testable import Bleu

/// A simulated BlueZ whose first adapter serves actors, in virtual time.
struct ServingStage {
    static let kinds = [SimulatedBlueZVersion.v5_66, .v5_76, .v5_86]

    let world: TestWorld
    let peripheral: LocalPeripheralActor
    let probe: Probe

    static func play(
        _ kind: SimulatedBlueZVersion = .v5_86,
        _ change: @Sendable (inout BleuConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (ServingStage) async throws -> Void
    ) async throws {
        var options = SimulatorOptions()
        options.version = kind
        let world = try await TestWorld.make(options)
        var configuration = BleuConfiguration()
        change(&configuration)
        let host = BluetoothHost(
            mainLoop: world.mainLoop,
            adapter: "hci0",
            busAddress: world.busAddress
        )
        let stage = ServingStage(
            world: world,
            peripheral: LocalPeripheralActor(configuration, host),
            probe: Probe(world)
        )
        try await world.run {
            try await stage.peripheral.startAdvertising(stage.probe.served())
            try await body(stage)
        }
    }

    func wait(_ time: Duration) async throws { try await world.clock.sleep(for: time) }

    func wait(
        for what: String,
        _ location: SourceLocation = #_sourceLocation,
        until isSo: () throws -> Bool
    ) async throws {
        for _ in 0..<1200 {
            if try isSo() { return }
            try await wait(.milliseconds(50))
        }
        Issue.record("no \(what) within a minute", sourceLocation: location)
    }

    /// Connects a central and subscribes it to the characteristics of `methods`.
    func caller(
        _ methods: [String] = Probe.answered,
        session: UInt16 = 0x1234,
        mtu: Int = 517
    ) async throws -> Caller {
        let central = try world.addCentral(mtu: mtu)
        try await central.connect()
        let caller = Caller(central, session: session, mtu: mtu)
        for method in methods { try await central.subscribe(to: Probe.uuid(method)) }
        return caller
    }
}

final class Probe: Swift.Sendable {
    static let answered = ["echo", "fail", "large", "long", "numbers", "slow", "value", "wait"]
    private static let readable: Set = ["fail", "long", "slow", "value"]

    private let calls = Mutex<[String]>([])
    let endedProducers = SharedCount()
    let cancelledCalls = SharedCount()
    let producedCount = SharedCount()
    private let iterators = Mutex<[Iterator]>([])
    private let sleep: @Sendable (Duration) async throws -> Void

    init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

    convenience init(_ world: TestWorld) {
        let clock = world.clock
        self.init { try await clock.sleep(for: $0) }
    }

    static func uuid(_ method: String) -> String {
        guard let index = answered.firstIndex(of: method) else { return "" }
        return "00000000-0000-4000-8000-00000000000\(index + 1)"
    }

    static let service = "00000000-0000-4000-8000-000000000000"

    static func description(_ typeName: String = "Probe", module: String = "Tests")
        -> PeripheralDescription
    {
        PeripheralDescription(
            typeName: typeName,
            qualifiedName: "\(module).\(typeName)",
            service: UUID(uuidString: service) ?? UUID(),
            methods: answered.map { name in
                DistributedMethod(
                    name: name,
                    characteristic: UUID(uuidString: uuid(name)) ?? UUID(),
                    target: name,
                    parameterCount: readable.contains(name) ? 0 : 1,
                    hasResult: true,
                    isStream: name == "numbers"
                )
            }
        )
    }

    func served(_ description: PeripheralDescription = description(), id: UUID = UUID())
        -> LocalActor
    {
        LocalActor(description: description, id: id) { [self] in await call($0, $1) }
    }

    var allCalls: [String] { calls.withLock { $0 } }

    func count(of method: String) -> Int { allCalls.count { $0 == method } }

    private func call(_ target: String, _ arguments: Data) async -> MethodResult {
        calls.withLock { $0.append(target) }
        switch target {
        case "echo":
            guard arguments.first == UInt8(ascii: "[") else { return .invalidArguments }
            return .value(arguments)
        case "fail": return .failure(ThrownError(RemoteFailure(typeName: "Broken", message: "b")))
        case "long": return .value(Data("\"\(String(repeating: "x", count: 2000))\"".utf8))
        case "large":
            // Random text, which barely compresses.
            let words = (0..<2500).map { _ in "\(UUID())" }
            return .value(Data("\"\(words.joined())\"".utf8))
        case "numbers": return .stream(numbers())
        case "slow", "wait":
            do {
                try await sleep(.seconds(6))
            } catch {
                cancelledCalls.increment()
            }
            return .value(Data("6".utf8))
        default: return .value(Data("21.5".utf8))
        }
    }

    /// 0, 1, 2 …, endless.
    private func numbers() -> ElementProducer {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        continuation.onTermination = { [self] _ in endedProducers.increment() }
        for number in 0..<1000 { continuation.yield(number) }
        let iterator = Iterator(stream)
        iterators.withLock { $0.append(iterator) }
        return ElementProducer { [self] in
            let number = await iterator.next()
            producedCount.increment()
            return number.map { Data("\($0)".utf8) }
        }
    }
}

final class SharedCount: Swift.Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func increment() { count.withLock { $0 += 1 } }
}

/// The iterator of a stream with one consumer.
private final class Iterator: @unchecked Swift.Sendable {
    private var iterator: AsyncStream<Int>.Iterator

    init(_ stream: AsyncStream<Int>) { iterator = stream.makeAsyncIterator() }

    func next() async -> Int? {
        var copy = iterator
        let element = await copy.next(isolation: nil)
        iterator = copy
        return element
    }
}

final class Caller {
    let central: TestCentral
    let session: UInt16
    private let mtu: Int
    private var transport = BLETransport(receiving: .fromPeripheral)
    private var lastCall: UInt16 = 0

    init(_ central: TestCentral, session: UInt16, mtu: Int) {
        self.central = central
        self.session = session
        self.mtu = mtu
    }

    var cipher: (any SessionCipher)? {
        get { transport.cipher }
        set { transport.cipher = newValue }
    }

    /// Sends a message.
    ///
    /// - Returns: The number of the call.
    @discardableResult
    func send(
        _ kind: FrameKind,
        _ method: String,
        _ body: String = "[]",
        flags: MessageFlags = [],
        call: UInt16? = nil
    ) async throws -> UInt16 {
        lastCall += 1
        let number = call ?? lastCall
        let data = kind == .call || kind == .hello ? Data(body.utf8) : Data()
        let message = Message(
            kind: kind,
            session: session,
            call: number,
            flags: flags,
            body: data
        )
        try await write(message, method)
        return number
    }

    func credit(_ total: UInt8, _ method: String, call: UInt16) async throws {
        let body = Data([total, 0, 0, 0])
        try await write(Message(kind: .credit, session: session, call: call, body: body), method)
    }

    private func write(_ message: Message, _ method: String) async throws {
        for frame in try frames(of: message, for: method) {
            try await central.write([UInt8](frame), to: Probe.uuid(method), .withoutResponse)
        }
    }

    /// The frames of a message to the characteristic of a method.
    func frames(of message: Message, for method: String) throws -> FrameSequence {
        try transport.frames(
            of: message,
            frameSize: min(510, mtu - 3),
            on: Probe.uuid(method).lowercased()
        )
    }

    func next(_ method: String) async throws -> Message {
        while true {
            let frame = try await central.next(of: Probe.uuid(method))[0]
            guard frame.count >= 3, UInt16(frame[1]) | UInt16(frame[2]) << 8 == session else {
                continue
            }
            let uuid = Probe.uuid(method).lowercased()
            let outcome = transport.receive(Data(frame), on: uuid, now: .zero)
            if case .message(let message) = outcome { return message }
        }
    }

    func call(_ method: String, _ body: String = "[]", flags: MessageFlags = []) async throws
        -> Answer
    {
        let number = try await send(.call, method, body, flags: flags)
        return Answer(try await next(method), number)
    }
}

struct Answer: Equatable {
    var kind: FrameKind?
    var body = ""
    var isOfCall = true

    init(_ kind: FrameKind, _ body: String) {
        self.kind = kind
        self.body = body
    }

    init(_ message: Message?, _ call: UInt16) {
        kind = message?.kind
        body = String(decoding: message?.body ?? Data(), as: UTF8.self)
        isOfCall = message?.call == call
    }

    static func refusal(_ refusal: Refusal) -> Answer {
        Answer(.refusal, "\"\(refusal.rawValue)\"")
    }
}
