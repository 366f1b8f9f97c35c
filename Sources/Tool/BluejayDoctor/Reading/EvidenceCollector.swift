internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// Collects what files and the bus say; nothing is changed by it.
package struct EvidenceCollector: Swift.Sendable {
    private let files: FileTree
    private let environment: [String: String]
    private let limit: Duration

    /// Names what is looked at.
    ///
    /// - Parameters:
    ///   - files: This computer's, or a folder that looks like a computer.
    ///   - environment: Its `DBUS_SYSTEM_BUS_ADDRESS` names the bus; without it, it is the system's own.
    ///   - limit: How long bluetoothd has for its answer.
    package init(
        files: FileTree = FileTree(),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        limit: Duration = .seconds(5)
    ) {
        self.files = files
        self.environment = environment
        self.limit = limit
    }

    /// Looks once, on a loop of its own, which ends with it.
    package func collect() async -> Evidence {
        var evidence = Evidence()
        let reader = FileReader(files: files, environment: environment)
        evidence.machine = reader.machine()
        evidence.service = reader.service()
        evidence.user = reader.user()
        evidence.policies = reader.policies()

        let given = environment["DBUS_SYSTEM_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
        evidence.bus.isGiven = given.map { !Self.ownAddresses.contains($0) } ?? false
        evidence.bus.address = given ?? BusAddress.system.text
        evidence.bus.limit = limit
        evidence.bus.socket = FileReader.socket(of: evidence.bus.address, in: FileTree())
        let result = await look(evidence.bus.address)
        evidence.bus.reach = result.reach
        evidence.adapters = result.adapters
        return evidence
    }

    /// Who names one of these means the system's own bus.
    private static let ownAddresses: Set = [
        "unix:path=/run/dbus/system_bus_socket", "unix:path=/var/run/dbus/system_bus_socket",
    ]

    private func look(_ address: String) async -> BusProbe.Result {
        let loop = MainLoop(threadName: "doctor")
        return await withCheckedContinuation { continuation in
            loop.post { [loop, limit] in
                BusProbe.begin(loop, busAddress: address, within: limit) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }
}
