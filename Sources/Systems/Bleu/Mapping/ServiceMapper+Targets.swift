internal import Distributed

extension ServiceMapper {
    private static let names = Dictionary(
        MethodRecord.all.map { ($0.target, $0.name) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns the name of a method, without labels, that this program calls.
    static func method(of target: RemoteCallTarget) -> String {
        if let name = names[target.identifier] { return name }
        // The runtime describes a method that is not listed as `Type.method(label:)`.
        let path = "\(target)".prefix { $0 != "(" }
        return path.split(separator: ".").last.map { String($0) } ?? target.identifier
    }
}
