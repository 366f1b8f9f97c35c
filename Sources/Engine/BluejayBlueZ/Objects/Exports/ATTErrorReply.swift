package import BluejayCore
package import BluejayDBus

/// Converts ATT errors to D-Bus errors, which bluetoothd converts back to ATT codes.
package enum ATTErrorReply {
    /// Returns the D-Bus error for an ATT error.
    ///
    /// A code without a BlueZ error name becomes 0x0E. bluetoothd sends `NotPermitted` as 0x02 for reads
    /// and as 0x03 for writes, so that the other code becomes 0x0E as well.
    package static func error(_ error: ATTError, ofWrite isWrite: Bool? = nil) -> BusError {
        let prefix = "org.bluez.Error."
        let text = error.description
        switch error.code {
        case 0x02 where isWrite != true, 0x03 where isWrite != false:
            return BusError(name: prefix + "NotPermitted", message: text)
        case 0x06: return BusError(name: prefix + "NotSupported", message: text)
        case 0x07: return BusError(name: prefix + "InvalidOffset", message: text)
        case 0x08: return BusError(name: prefix + "NotAuthorized", message: text)
        case 0x0D: return BusError(name: prefix + "InvalidValueLength", message: text)
        case 0xFD: return BusError(name: prefix + "ImproperlyConfigured", message: text)
        case 0xFE: return BusError(name: prefix + "InProgress", message: text)
        case 0x80...0x9F:
            // BlueZ 5.66 and later parse the number; older ones send 0x80 for any text.
            let digits = "0x" + String(error.code, radix: 16)
            return BusError(name: prefix + "Failed", message: digits)
        default:
            // bluetoothd sends 0x0E for an unknown name, but 0x80 for `Failed` with a text.
            return BusError(name: "org.freedesktop.DBus.Error.Failed", message: text)
        }
    }
}
