package import BluejayDBus

/// How one kind of object is put on the bus and made known to bluetoothd.
package protocol RegistrableObject: AnyObject {
    /// What bluetoothd answers when it has it.
    func registration(at adapter: ObjectPath) -> MethodCall
    /// Takes it back.
    func unregistration(at adapter: ObjectPath) -> MethodCall
    /// Puts the objects on the bus.
    func export(on objects: ObjectServer)
    /// Takes them off.
    func unexport(from objects: ObjectServer)
    /// bluetoothd has taken it.
    func registered()
    /// Whether its time was over while nobody had it.
    var isOver: Bool { get }
}

extension RegistrableObject {
    package func registered() {}
    package var isOver: Bool { false }
}
