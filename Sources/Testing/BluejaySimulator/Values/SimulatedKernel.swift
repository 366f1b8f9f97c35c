/// The simulated version of Linux.
public enum SimulatedKernel: String, CaseIterable, Swift.Sendable {
    /// A kernel without known errors.
    case v6_1_176 = "6.1.176"
    /// A kernel that ends bluetoothd when `Disconnect` is called while a peripheral does not answer service
    /// discovery.
    case v6_1_192 = "6.1.192"

    var crashesOnEarlyDisconnect: Bool { self == .v6_1_192 }
}
