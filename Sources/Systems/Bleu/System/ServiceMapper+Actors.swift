public import FoundationEssentials

extension ServiceMapper {
    /// Returns the UUID of the service of a type.
    public static func serviceUUID<T: PeripheralActor>(for type: T.Type) -> UUID {
        serviceUUID(named: "\(type)")
    }

    /// Returns the UUID of the characteristic of a method.
    ///
    /// - Parameters:
    ///   - method: The name of the method, with or without labels.
    ///   - type: The type that declares the method.
    /// - Returns: A UUID that depends on both names.
    public static func characteristicUUID<T: PeripheralActor>(
        for method: String,
        in type: T.Type
    ) -> UUID {
        characteristicUUID(for: method, named: "\(type)")
    }

    /// Returns the names of the distributed methods of a type, without labels and in alphabetical order.
    ///
    /// The list is empty if the program cannot read its methods; see ``BLEActorSystem/register(_:methods:)``.
    public static func methods<T: PeripheralActor>(of type: T.Type) -> [String] {
        methodNames(of: type)
    }
}
