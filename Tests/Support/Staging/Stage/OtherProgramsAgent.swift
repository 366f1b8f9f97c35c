internal import BluejayDBus

/// An `org.bluez.Agent1` without input and output (NoInputNoOutput) that accepts every request.
package final class OtherProgramsAgent: Swift.Sendable {
    private let bus: TestbedBus

    package init(_ busAddress: String) async throws {
        bus = try await TestbedBus(busAddress)
        let path: ObjectPath = "/bluejay/agent"
        await bus.perform { bus in
            let agree = [
                "RequestConfirmation": "ou", "RequestAuthorization": "o",
                "AuthorizeService": "os", "Release": "", "Cancel": "",
            ]
            let methods = agree.map { name, arguments in
                BusMethod(name, inputSignature: arguments) { $0.reply() }
            }
            bus.server?.export([BusInterface("org.bluez.Agent1", methods: methods)], at: path)
        }
        let manager = "org.bluez.AgentManager1"
        try await bus.call(
            "/org/bluez",
            manager,
            "RegisterAgent",
            [.objectPath(path), .string("NoInputNoOutput")]
        )
        try await bus.call("/org/bluez", manager, "RequestDefaultAgent", [.objectPath(path)])
    }

    /// Pairs with a connected device, as bluetoothctl's `pair` does.
    ///
    /// - Parameter path: The object path of the device.
    /// - Throws: The error of bluetoothd.
    package func pair(_ path: String) async throws {
        guard let device = ObjectPath(path) else {
            throw TestbedError("\(path) is not an object path")
        }
        try await bus.call(device, "org.bluez.Device1", "Pair")
    }

    package func connectionName() async -> String? { await bus.uniqueName() }
}
