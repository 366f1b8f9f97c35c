import Distributed
import FoundationEssentials
import TestSupport
import Testing

@testable import Bleu

@Suite("Arguments and results of distributed methods")
struct InvocationTests {
    private let echo: Echo

    init() {
        var configuration = BleuConfiguration()
        configuration.errorTypes = [Fault.self]
        echo = Echo(actorSystem: BLEActorSystem(configuration: configuration))
    }

    @Test("Integers keep their value", arguments: [0, -1, .max, .min])
    func int(value: Int) async throws {
        #expect(try await echoed(value, by: "int") == value)
    }

    @Test("Floating-point numbers keep their value", arguments: [0.1, -0.0, 1e300, .infinity])
    func double(value: Double) async throws {
        #expect(try await echoed(value, by: "double") == value)
    }

    @Test("NaN is returned as NaN")
    func nan() async throws {
        #expect(try await echoed(Double.nan, by: "double").isNaN)
    }

    @Test("Text keeps its characters", arguments: ["", "ä \"quoted\" \\ / [,] {,}", "\u{0}\n👋"])
    func string(value: String) async throws {
        #expect(try await echoed(value, by: "string") == value)
    }

    @Test("Booleans keep their value", arguments: [true, false])
    func bool(value: Bool) async throws {
        #expect(try await echoed(value, by: "bool") == value)
    }

    @Test("Data keeps its bytes")
    func data() async throws {
        let value = Data(0...255)
        #expect(try await echoed(value, by: "data") == value)
    }

    @Test("Arrays keep their order", arguments: [[], [3, 1, 2]])
    func array(value: [Int]) async throws {
        #expect(try await echoed(value, by: "array") == value)
    }

    @Test("Dictionaries keep their entries")
    func dictionary() async throws {
        let value = ["a": [1.5], "b,": []]
        #expect(try await echoed(value, by: "dictionary") == value)
    }

    @Test("Sets keep their elements")
    func set() async throws {
        let value: Set = ["x", "y"]
        #expect(try await echoed(value, by: "set") == value)
    }

    @Test("Structures and enumerations keep their content")
    func custom() async throws {
        let value = Sample(value: 20.5, unit: .celsius, history: [.init(value: 1, unit: .kelvin)])
        #expect(try await echoed(value, by: "custom") == value)
    }

    @Test("Optional values may be nil", arguments: [nil, 5])
    func optional(value: Int?) async throws {
        #expect(try await echoed(value, by: "optional") == value)
    }

    @Test("Dates keep their time")
    func date() async throws {
        let value = Date(timeIntervalSinceReferenceDate: 1234.567)
        #expect(try await echoed(value, by: "date") == value)
    }

    @Test("Arguments arrive in order")
    func several() async throws {
        var encoder = BLEInvocationEncoder()
        try encoder.record(1)
        try encoder.record("],\"")
        try encoder.record([true])
        guard case .value(let json) = try await result(of: "several", encoder.body) else {
            throw Unexpected()
        }
        #expect(try JSONValue.decode(String.self, from: json) == "1],\"[true]")
    }

    @Test("A method without a result returns Void")
    func nothing() async throws {
        guard case .nothing = try await result(of: "nothing", Data("[]".utf8)) else {
            throw Unexpected()
        }
    }

    @Test("An error of a known type arrives as itself, any other as a failure with its type")
    func errors() async throws {
        guard case .failure(let failure) = try await result(of: "fail", Data("[7]".utf8)) else {
            throw Unexpected()
        }
        let sent = try JSONValue.decode(ThrownError.self, from: JSONValue.encode(failure))
        #expect(sent.error([OtherFault.self, Fault.self]) as? Fault == Fault(code: 7))
        let unknown = try #require(sent.error([OtherFault.self]) as? RemoteFailure)
        #expect(unknown == RemoteFailure(typeName: "Fault", message: ""))
    }

    @Test(
        "An error of another type is sent with its type name, and the text of a LocalizedError",
        arguments: [
            (SecretFault(path: "/home/secret") as any Error & Sendable, "SecretFault", ""),
            (DescribedFault(host: "secret.local"), "DescribedFault", ""),
            (EnumeratedFault.unreachable("secret.local"), "EnumeratedFault", ""),
            (LocalizedFault(host: "secret.local"), "LocalizedFault", "the sensor is wet"),
            (BleuError.peripheralNotFound(UUID()), "BleuError", ""),
            (CocoaError(.fileReadNoSuchFile, userInfo: ["NSFilePath": "secret"]), "CocoaError", ""),
        ]
    )
    func unmarkedErrors(error: any Error & Sendable, type: String, text: String) throws {
        let sent = try JSONValue.encode(ThrownError(error))
        #expect(!String(decoding: sent, as: UTF8.self).contains("secret"))
        let arrived = try JSONValue.decode(ThrownError.self, from: sent)
        let failure = arrived.error([SecretFault.self]) as? RemoteFailure
        #expect(failure == RemoteFailure(typeName: type, message: text))
        #expect("\(failure as Any)".contains(type))
    }

    @Test("A DecodingError thrown by the method itself is reported as its failure")
    func ownDecodingError() async throws {
        guard case .failure(let failure) = try await result(of: "misdecode", Data("[]".utf8)) else {
            throw Unexpected()
        }
        #expect(failure.type == "DecodingError")
    }

    @Test(
        "Missing, additional, mistyped and damaged arguments do not reach the method",
        arguments: [
            "", "[", "]", "1", "{}", "[]", "[1,2]", "[1,]", "[,1]", "[1", "[1]]", "[1}", "[1]x",
            "[\"a\"]", "[null]", "[1.5]", "[\"1]", "[[1]]", "[\u{0}]", "[1 2]",
        ]
    )
    func badArguments(body: String) async throws {
        guard case .invalidArguments? = try? await result(of: "int", Data(body.utf8), count: 1)
        else { throw Unexpected() }
    }

    @Test("Spaces around arguments are ignored")
    func spaces() async throws {
        let result = try await result(of: "int", Data(" [ 5\n] ".utf8), count: 1)
        guard case .value(let json) = result else { throw Unexpected() }
        #expect(json == Data("5".utf8))
    }

    @Test("An array is split into as many elements as JSONDecoder finds")
    func randomArguments() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("[]{},:\"\\1 ".utf8)
        for _ in 0..<2_000 {
            let length = Int.random(in: 0...12, using: &random)
            let inner = (0..<length).map { _ in
                alphabet[Int.random(in: alphabet.indices, using: &random)]
            }
            let array = Data([0x5B] + inner + [0x5D])
            guard let decoded = try? JSONValue.decode([AnyJSON].self, from: array) else { continue }
            // JSONDecoder accepts a trailing comma, which yields an empty argument here.
            let elements = JSONValue.elements(of: array)?.filter { $0.contains { $0 != 0x20 } }
            let text = String(decoding: array, as: UTF8.self)
            #expect(elements?.count == decoded.count, "\(text), seed \(seed)")
        }
    }

    @Test("A method can return a stream, with its elements, its end and its error")
    func streams() async throws {
        guard case .stream(let counter) = try await result(of: "count", Data("[3]".utf8)) else {
            throw Unexpected()
        }
        for number in 1...3 { #expect(try await counter.next() == Data("\(number)".utf8)) }
        #expect(try await counter.next() == nil)

        guard case .stream(let failing) = try await result(of: "countAndFail", Data("[1]".utf8))
        else { throw Unexpected() }
        #expect(try await failing.next() == Data("1".utf8))
        await #expect(throws: Fault(code: 1)) { try await failing.next() }
    }

    @Test("A stream inside another value, or as an argument, is refused with the reason")
    func misplacedStreams() async throws {
        guard case .failure(let failure) = try await result(of: "inArray", Data("[]".utf8)) else {
            throw Unexpected()
        }
        #expect(failure.message.contains("only the whole result of a distributed method"))
        let argument = try? await result(of: "take", Data("[[]]".utf8))
        guard case .invalidArguments = argument else { throw Unexpected() }
    }

    private func echoed<Value: Codable>(_ value: Value, by method: String) async throws -> Value {
        var encoder = BLEInvocationEncoder()
        try encoder.record(value)
        guard case .value(let json) = try await result(of: method, encoder.body, count: 1) else {
            throw Unexpected()
        }
        return try JSONValue.decode(Value.self, from: json)
    }

    private func result(
        of method: String,
        _ body: Data,
        count: Int? = nil
    ) async throws -> MethodResult {
        let description = try ServiceMapper.description(of: Echo.self, registered: nil)
        let target = try #require(description.method(named: method)?.target)
        let (results, continuation) = AsyncStream<MethodResult>.makeStream()
        do {
            var decoder = try BLEInvocationDecoder(body, count: count)
            try await echo.actorSystem.executeDistributedTarget(
                on: echo,
                target: RemoteCallTarget(target),
                invocationDecoder: &decoder,
                handler: BLEResultHandler { continuation.yield($0) }
            )
        } catch is BLEInvocationDecoder.InvalidArguments {
            return .invalidArguments
        }
        continuation.finish()
        var iterator = results.makeAsyncIterator()
        let result = try #require(await iterator.next())
        #expect(await iterator.next() == nil)
        return result
    }
}

private struct Unexpected: Error {}

private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) throws {}
}

extension BLEInvocationEncoder {
    fileprivate mutating func record<Value: Codable>(_ value: Value) throws {
        try recordArgument(RemoteCallArgument(label: nil, name: "value", value: value))
    }
}

struct Fault: Error, Codable, Equatable { let code: Int }
struct OtherFault: Error, Codable { let code: Int }
struct SecretFault: Error, Codable { let path: String }
struct DescribedFault: Error, CustomStringConvertible {
    let host: String
    var description: String { "no answer of \(host)" }
}
enum EnumeratedFault: Error { case unreachable(String) }
struct LocalizedFault: LocalizedError, Codable {
    let host: String
    var errorDescription: String? { "the sensor is wet" }
}

struct Sample: Codable, Equatable {
    enum Unit: String, Codable { case celsius, kelvin }
    var value: Double
    var unit: Unit
    var history: [Sample] = []
}

distributed actor Echo: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    distributed func int(_ value: Int) -> Int { value }
    distributed func double(_ value: Double) -> Double { value }
    distributed func string(_ value: String) -> String { value }
    distributed func bool(_ value: Bool) -> Bool { value }
    distributed func data(_ value: Data) -> Data { value }
    distributed func array(_ value: [Int]) -> [Int] { value }
    distributed func dictionary(_ value: [String: [Double]]) -> [String: [Double]] { value }
    distributed func set(_ value: Set<String>) -> Set<String> { value }
    distributed func custom(_ value: Sample) -> Sample { value }
    distributed func optional(_ value: Int?) -> Int? { value }
    distributed func date(_ value: Date) -> Date { value }
    distributed func several(_ one: Int, two: String, _ three: [Bool]) -> String {
        "\(one)\(two)\(three)"
    }
    distributed func nothing() {}
    distributed func fail(code: Int) throws { throw Fault(code: code) }
    distributed func misdecode() throws -> Int {
        try JSONDecoder().decode(Int.self, from: Data("[]".utf8))
    }
    distributed func count(to last: Int) -> AsyncStream<Int> {
        AsyncStream {
            for number in 1...last { $0.yield(number) }
            $0.finish()
        }
    }
    distributed func countAndFail(at last: Int) -> AsyncThrowingStream<Int, any Error> {
        AsyncThrowingStream {
            for number in 1...last { $0.yield(number) }
            $0.finish(throwing: Fault(code: last))
        }
    }
    distributed func inArray() -> [AsyncStream<Int>] { [AsyncStream { $0.finish() }] }
    distributed func take(_ stream: AsyncStream<Int>) {}
}
