package import BluejayGLib
internal import Glibc

package enum BusAddress: Hashable, Swift.Sendable {
    /// `DBUS_SYSTEM_BUS_ADDRESS`, or the default socket of the system bus.
    case system
    /// An address in the form of the D-Bus specification, for example `unix:path=/run/dbus/socket`.
    case address(String)

    /// Uses the given address, or else the address of the context's environment, which is the system bus
    /// except in tests.
    package init(_ given: String?, of context: MainContext) {
        let text = given ?? context.environment.value.busAddress
        self = text.map { .address($0) } ?? .system
    }

    /// Returns the address of a socket, with the path escaped as the D-Bus specification requires.
    ///
    /// An escaped path contains no character that is special in XML.
    package static func socket(_ path: String) -> BusAddress {
        var text = "unix:path="
        for byte in path.utf8 {
            if Self.isPlain(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
        return .address(text)
    }

    // "Server Addresses": all other bytes are escaped.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "/"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    package var text: String {
        switch self {
        case .system: Self.fromEnvironment ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .address(let text): text
        }
    }

    // `ProcessInfo` would build a dictionary of all variables for each access.
    private static var fromEnvironment: String? {
        guard let text = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") else { return nil }
        let address = unsafe String(cString: text)
        return address.isEmpty ? nil : address
    }
}
