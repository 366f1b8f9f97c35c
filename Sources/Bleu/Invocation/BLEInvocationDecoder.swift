public import Distributed
internal import FoundationEssentials

/// Decodes the arguments of a call from a JSON array.
public struct BLEInvocationDecoder: DistributedTargetInvocationDecoder {
    /// What arguments conform to.
    public typealias SerializationRequirement = Codable

    /// The arguments do not fit the method.
    struct InvalidArguments: Error {}

    private var container: any UnkeyedDecodingContainer

    /// - Parameter body: The JSON array.
    /// - Throws: `DecodingError` if `body` is something else.
    init(_ body: Data) throws {
        container = try JSONValue.decode(ArgumentList.self, from: body).container
    }

    /// Returns an empty list: generic methods are refused at the registration.
    public mutating func decodeGenericSubstitutions() throws -> [any Any.Type] { [] }

    /// Returns the next argument.
    public mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
        do {
            return try container.decode(Argument.self)
        } catch {
            // An error of the method itself must not be taken for this one.
            throw InvalidArguments()
        }
    }

    /// Returns `nil`: the runtime knows the type.
    public mutating func decodeReturnType() throws -> (any Any.Type)? { nil }
    /// Returns `nil`: the runtime knows the type.
    public mutating func decodeErrorType() throws -> (any Any.Type)? { nil }
}

private struct ArgumentList: Decodable {
    let container: any UnkeyedDecodingContainer

    init(from decoder: any Decoder) throws {
        container = try decoder.unkeyedContainer()
    }
}
