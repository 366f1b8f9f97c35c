internal import Foundation

/// Which bus to open.
package enum BusAddress: Hashable, Swift.Sendable {
    /// `DBUS_SYSTEM_BUS_ADDRESS`, or the system bus's usual socket.
    case system
    /// An address as the D-Bus specification writes it, for example `unix:path=/run/dbus/socket`.
    case address(String)

    /// The address as libdbus takes it.
    package var text: String {
        switch self {
        case .system: Self.ofEnvironment ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .address(let text): text
        }
    }

    // Foundation's environment is a dictionary of all its variables, made for each question.
    private static var ofEnvironment: String? {
        guard let text = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") else { return nil }
        let address = unsafe String(cString: text)
        return address.isEmpty ? nil : address
    }
}
