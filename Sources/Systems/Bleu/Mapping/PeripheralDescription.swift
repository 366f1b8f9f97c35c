internal import FoundationEssentials

/// A type of actor and its service.
struct PeripheralDescription: Hashable, Swift.Sendable {
    /// The name without module and outer types.
    let typeName: String
    /// The name with module and outer types.
    let qualifiedName: String
    let service: UUID
    /// The methods, in alphabetical order.
    let methods: [DistributedMethod]

    func method(named name: String) -> DistributedMethod? { methods.first { $0.name == name } }

    /// Returns the method of a `RemoteCallTarget`, unless the type was registered by names.
    func method(target: String) -> DistributedMethod? { methods.first { $0.target == target } }

    func method(characteristic: UUID) -> DistributedMethod? {
        methods.first { $0.characteristic == characteristic }
    }
}
