internal import BluejayGLib
internal import FoundationEssentials

/// An error of a method, as it is sent.
struct ThrownError: Error, Codable, Hashable, Swift.Sendable {
    /// The type's name without its module.
    let type: String
    let message: String
    /// The JSON of an error that is `Codable`.
    let value: String?

    /// Creates what leaves of an error.
    ///
    /// Besides the name of the type, that is the text of a `LocalizedError`, and the fields of a type that the program has
    /// marked.
    init(_ error: any Error) {
        type = Self.name(Swift.type(of: error))
        let isMarked = Self.markedTypes.value.contains(ObjectIdentifier(Swift.type(of: error)))
        if isMarked, let error = error as? any Encodable, let json = try? JSONValue.encode(error) {
            value = String(decoding: json, as: UTF8.self)
        } else {
            value = nil
        }
        // A text of this library names addresses of other devices.
        let localized = error is BleuError ? nil : (error as? any LocalizedError)?.errorDescription
        message = localized ?? ""
    }

    /// The types whose errors leave this program with their fields.
    private static let markedTypes = LockedValue<Set<ObjectIdentifier>>([])

    /// Marks types, for all systems of the program.
    static func mark(_ types: [any (Error & Codable).Type]) {
        guard !types.isEmpty else { return }
        let new = Set(types.map { ObjectIdentifier($0) })
        markedTypes.update { $0.formUnion(new) }
    }

    /// A method has returned a stream that another caller reads.
    static let streamInUse = ThrownError(
        type: "StreamInUse",
        message: "another caller reads the stream of this method; return a new stream for each call"
    )

    /// A method has returned a value with a stream in it.
    static let misplacedStream = ThrownError(
        type: "MisplacedStream",
        message: MisplacedStream.reason
    )

    private init(type: String, message: String) {
        self.type = type
        self.message = message
        value = nil
    }

    /// The error that the caller receives.
    ///
    /// - Parameter types: The types that arrive as themselves.
    /// - Returns: One of these types, or `RemoteFailure`.
    func error(_ types: [any (Error & Codable).Type]) -> any Error {
        let data = value.map { Data($0.utf8) } ?? Data()
        let errors = types.filter { Self.name($0) == type }
            .compactMap { type -> (any Error)? in try? JSONValue.decode(type, from: data) }
        // Types of several modules may have one name.
        guard errors.count == 1 else { return RemoteFailure(typeName: type, message: message) }
        return errors[0]
    }

    /// The name of a type with its outer types, without its module.
    private static func name(_ type: any Any.Type) -> String {
        let path = String(reflecting: type)
        // Local and private types, and generic ones, have no plain path.
        guard !path.contains(where: { "(<".contains($0) }), let dot = path.firstIndex(of: ".")
        else {
            return "\(type)"
        }
        return String(path[path.index(after: dot)...])
    }
}
