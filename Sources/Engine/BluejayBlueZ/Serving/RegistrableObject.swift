package import BluejayDBus

/// An object that is exported and registered with bluetoothd.
package protocol RegistrableObject: AnyObject {
    func registration(at adapter: ObjectPath) -> MethodCall
    func unregistration(at adapter: ObjectPath) -> MethodCall
    func export(on objects: ObjectServer)
    func unexport(from objects: ObjectServer)
    func registered()
    /// Whether the time limit was reached while no adapter had the object.
    var isExpired: Bool { get }
}

extension RegistrableObject {
    package func registered() {}
    package var isExpired: Bool { false }
}
