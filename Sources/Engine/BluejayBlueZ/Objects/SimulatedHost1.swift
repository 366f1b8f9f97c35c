internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// `org.bluejay.SimulatedHost1`: the computer of the simulated BlueZ, which may have another kernel than the
/// one that runs the simulator.
///
/// A real bluetoothd has no such object.
enum SimulatedHost1 {
    static let interface = "org.bluejay.SimulatedHost1"

    static func kernelRelease(_ properties: ObjectTree.Properties) -> String? {
        properties["KernelRelease"]?.text
    }
}

extension ObjectTree {
    /// Whether `Disconnect` may end bluetoothd while a peripheral does not answer service discovery.
    ///
    /// An unknown kernel counts as affected.
    var crashesOnEarlyDisconnect: Bool {
        let simulated = properties(SimulatedKernel1.path, SimulatedHost1.interface)
            .flatMap { SimulatedHost1.kernelRelease($0) }
        let kernel =
            simulated.map { LinuxKernel(release: $0, build: "") }
            ?? LinuxKernel(release: RunningKernel.release, build: RunningKernel.build)
        return kernel?.crashesOnEarlyDisconnect ?? true
    }
}
