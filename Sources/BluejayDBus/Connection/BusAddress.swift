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
        case .system:
            ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"].flatMap {
                $0.isEmpty ? nil : $0
            } ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .address(let text): text
        }
    }
}
