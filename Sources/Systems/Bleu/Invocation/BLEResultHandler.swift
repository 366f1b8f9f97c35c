public import Distributed
internal import FoundationEssentials

/// Receives the result of a distributed method on the peripheral.
public struct BLEResultHandler: DistributedTargetInvocationResultHandler {
    /// The requirement for results.
    public typealias SerializationRequirement = Codable

    let receive: @Sendable (MethodResult) -> Void

    /// Receives the result of a method.
    public func onReturn<Success: Codable>(value: Success) async throws {
        if let stream = value as? any ElementStream {
            receive(stream.exclusiveProducer().map { .stream($0) } ?? .failure(.streamInUse))
        } else {
            receive(Self.encoded(value))
        }
    }

    /// Receives the end of a method without a result.
    public func onReturnVoid() async throws {
        receive(.nothing)
    }

    /// Receives the error of a method.
    public func onThrow<Err: Error>(error: Err) async throws {
        if error is BLEInvocationDecoder.InvalidArguments { return receive(.invalidArguments) }
        receive(.failure(ThrownError(error)))
    }

    private static func encoded<Value: Encodable>(_ value: Value) -> MethodResult {
        do {
            return .value(try JSONValue.encode(value))
        } catch {
            return .failure(
                MisplacedStream.isReason(of: error) ? .misplacedStream : ThrownError(error)
            )
        }
    }
}

enum MethodResult: Swift.Sendable {
    /// The result as JSON.
    case value(Data)
    case nothing
    case stream(ElementProducer)
    case failure(ThrownError)
    case invalidArguments
    /// The program has released the actor.
    case actorReleased
}
