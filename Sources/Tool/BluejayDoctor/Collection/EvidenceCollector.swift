internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// Collects facts from files and the bus without changing them.
package struct EvidenceCollector: Swift.Sendable {
    private let files: FileTree
    private let environment: [String: String]
    private let timeout: Duration

    /// Creates a collector.
    ///
    /// - Parameters:
    ///   - files: The files of this computer, or of a folder with the same structure.
    ///   - environment: The environment; its `DBUS_SYSTEM_BUS_ADDRESS` overrides the system's own bus.
    ///   - timeout: The time limit for bluetoothd's reply.
    package init(
        files: FileTree = FileTree(),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        timeout: Duration = .seconds(5)
    ) {
        self.files = files
        self.environment = environment
        self.timeout = timeout
    }

    /// Collects the facts once, on a temporary loop.
    package func collect() async -> Evidence {
        var evidence = Evidence()
        let reader = FileReader(files: files, environment: environment)
        evidence.machine = reader.machine()
        evidence.service = reader.service()
        evidence.user = reader.user()
        evidence.policies = reader.policies()

        let given = environment["DBUS_SYSTEM_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
        evidence.bus.isFromEnvironment = given.map { !Self.ownAddresses.contains($0) } ?? false
        evidence.bus.address = given ?? BusAddress.system.text
        evidence.bus.timeout = timeout
        evidence.bus.socket = FileReader.socket(of: evidence.bus.address, in: FileTree())
        let result = await probe(evidence.bus.address)
        evidence.bus.reachability = result.reachability
        evidence.adapters = result.adapters
        return evidence
    }

    /// Addresses that mean the system's own bus.
    private static let ownAddresses: Set = [
        "unix:path=/run/dbus/system_bus_socket", "unix:path=/var/run/dbus/system_bus_socket",
    ]

    private func probe(_ address: String) async -> BusProbe.Outcome {
        let loop = MainLoop(threadName: "doctor")
        return await withCheckedContinuation { continuation in
            loop.post { [loop, timeout] in
                BusProbe.start(loop, busAddress: address, within: timeout) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }
}
