public import Distributed
internal import FoundationEssentials

/// Encodes the arguments of a call as one JSON array.
public struct BLEInvocationEncoder: DistributedTargetInvocationEncoder {
    /// The requirement for arguments.
    public typealias SerializationRequirement = Codable

    private(set) var arguments: [Data] = []
    /// Whether the method is generic, which has no characteristic.
    private(set) var isGeneric = false

    /// Marks the call as one of a generic method.
    public mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
        isGeneric = true
    }

    /// Encodes the next argument.
    public mutating func recordArgument<Value: Codable>(
        _ argument: RemoteCallArgument<Value>
    ) throws {
        arguments.append(try JSONValue.encode(argument.value))
    }

    /// Has no effect: the type is known on both sides.
    public mutating func recordReturnType<R: Codable>(_ type: R.Type) throws {}
    /// Has no effect: errors carry their type.
    public mutating func recordErrorType<E: Error>(_ type: E.Type) throws {}
    /// Has no effect.
    public mutating func doneRecording() throws {}

    /// The JSON array of the arguments.
    var body: Data {
        var body = Data("[".utf8)
        for (index, argument) in arguments.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body.append(argument)
        }
        body.append(UInt8(ascii: "]"))
        return body
    }
}
