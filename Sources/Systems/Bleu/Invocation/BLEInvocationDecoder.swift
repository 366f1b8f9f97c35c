public import Distributed
internal import FoundationEssentials

/// Decodes the arguments of a call from a JSON array.
public struct BLEInvocationDecoder: DistributedTargetInvocationDecoder {
    /// The requirement for arguments.
    public typealias SerializationRequirement = Codable

    /// The arguments do not fit the method.
    ///
    /// An error of the method itself is never of this type.
    struct InvalidArguments: Error {}

    private var arguments: ArraySlice<Data>

    /// - Parameters:
    ///   - body: The JSON array.
    ///   - count: The number of parameters, or `nil` if it is unknown; then too many arguments are ignored.
    /// - Throws: `InvalidArguments` if `body` is no array of this length.
    init(_ body: Data, count: Int?) throws(InvalidArguments) {
        guard let arguments = JSONValue.elements(of: body),
            arguments.count == count ?? arguments.count
        else { throw InvalidArguments() }
        self.arguments = arguments[...]
    }

    /// Returns an empty list: the registration rejects generic methods.
    public mutating func decodeGenericSubstitutions() throws -> [any Any.Type] { [] }

    /// Returns the next argument.
    public mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
        guard let data = arguments.popFirst(),
            let argument = try? JSONValue.decode(Argument.self, from: data)
        else { throw InvalidArguments() }
        return argument
    }

    /// Returns `nil`: the runtime knows the type.
    public mutating func decodeReturnType() throws -> (any Any.Type)? { nil }
    /// Returns `nil`: the runtime knows the type.
    public mutating func decodeErrorType() throws -> (any Any.Type)? { nil }
}
