import BluejayDBus
import BluejayGLib

/// A lane's own bus connection: it counts connections and match rules, and removes devices.
///
/// Its parts are used on its own context only: the invariant behind `@unchecked`.
final class BusControl: @unchecked Swift.Sendable {
    /// Counts of `org.freedesktop.DBus.Debug.Stats`.
    struct Count: Equatable, Swift.Sendable {
        var connections = 0
        var rules = 0
    }

    private let context = MainContext()
    private var connection: BusConnection?

    init(_ address: String) async throws {
        context.startThread(named: "control")
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            context.post { [self] in
                do {
                    connection = try BusConnection(.address(address), on: context)
                    continuation.resume()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    func end() async {
        await withCheckedContinuation { continuation in
            context.post { [self] in
                connection?.close()
                connection = nil
                continuation.resume()
            }
        }
        context.quit()
    }

    private func call(
        _ service: String,
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = []
    ) async -> [BusValue]? {
        await withCheckedContinuation { continuation in
            context.post { [self] in
                guard let connection else { return continuation.resume(returning: nil) }
                let call = MethodCall(to: service, at: path, interface, member, arguments)
                connection.call(call, timeout: .seconds(30)) {
                    continuation.resume(returning: try? $0.get())
                }
            }
        }
    }

    func count() async -> Count {
        let bus = "org.freedesktop.DBus"
        let reply = await call(bus, "/org/freedesktop/DBus", bus + ".Debug.Stats", "GetStats")
        let values = reply?.first?.namedValues ?? [:]
        return Count(
            connections: values["ActiveConnections"]?.integer ?? 0,
            rules: values["MatchRules"]?.integer ?? 0
        )
    }

    /// Returns the count once it is stable.
    func settledCount() async -> Count {
        var last = await count()
        var rounds = 0
        // The bus does not signal the end of a connection or the removal of a rule.
        while rounds < 5 {
            try? await Task.sleep(for: .milliseconds(20))
            let next = await count()
            rounds = next == last ? rounds + 1 : 0
            last = next
        }
        return last
    }

    /// Removes a device from bluetoothd, which ends its link.
    func removeDevice(_ path: String) async {
        guard let path = ObjectPath(path) else { return }
        _ = await call(
            "org.bluez",
            "/org/bluez/hci0",
            "org.bluez.Adapter1",
            "RemoveDevice",
            [.objectPath(path)]
        )
    }

    func isDiscovering() async -> Bool {
        await property("Discovering") ?? false
    }

    /// Returns the devices of bluetoothd, each with its state.
    func devices() async -> [String] {
        let manager = "org.freedesktop.DBus.ObjectManager"
        let reply = await call("org.bluez", .root, manager, "GetManagedObjects")
        return (reply?.first?.entries ?? []).compactMap { entry in
            guard
                let device = entry.value.entries?.first(where: {
                    $0.key.text == "org.bluez.Device1"
                })?.value.namedValues
            else { return nil }
            let properties = ["Connected", "ServicesResolved", "RSSI"].map {
                "\($0) \(device[$0].map { "\($0)" } ?? "-")"
            }
            return "\(entry.key.path?.text ?? ""): \(properties.joined(separator: ", "))"
        }
    }

    /// Polls until bluetoothd has an adapter, because a subscription would be counted.
    func waitForAdapter() async {
        while await property("Powered") == nil { try? await Task.sleep(for: .milliseconds(2)) }
    }

    /// Polls until the adapter is powered, because a subscription would be counted.
    func waitForPower() async {
        while await property("Powered") != true { try? await Task.sleep(for: .milliseconds(2)) }
    }

    private func property(_ name: String) async -> Bool? {
        let reply = await call(
            "org.bluez",
            "/org/bluez/hci0",
            "org.freedesktop.DBus.Properties",
            "Get",
            [.string("org.bluez.Adapter1"), .string(name)]
        )
        return reply?.first?.boolean
    }
}
