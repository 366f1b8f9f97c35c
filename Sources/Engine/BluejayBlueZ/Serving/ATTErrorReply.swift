package import BluejayCore
package import BluejayDBus

/// How an ATT error is told to bluetoothd, which turns it back into a code.
package enum ATTErrorReply {
    /// The error reply for a code.
    ///
    /// A code that bluetoothd has no word for becomes 0x0E. `NotPermitted` is 0x02 for reads and 0x03
    /// for writes, whichever was meant.
    package static func error(_ error: ATTError) -> BusError {
        let prefix = "org.bluez.Error."
        let text = error.description
        switch error.code {
        case 0x02, 0x03: return BusError(name: prefix + "NotPermitted", message: text)
        case 0x06: return BusError(name: prefix + "NotSupported", message: text)
        case 0x07: return BusError(name: prefix + "InvalidOffset", message: text)
        case 0x08: return BusError(name: prefix + "NotAuthorized", message: text)
        case 0x0D: return BusError(name: prefix + "InvalidValueLength", message: text)
        case 0xFD: return BusError(name: prefix + "ImproperlyConfigured", message: text)
        case 0xFE: return BusError(name: prefix + "InProgress", message: text)
        case 0x80...0x9F:
            // BlueZ 5.66 and later read the number; older ones send 0x80 for any text.
            let digits = "0x" + String(error.code, radix: 16)
            return BusError(name: prefix + "Failed", message: digits)
        default:
            // Any name that bluetoothd does not know is 0x0E; `Failed` with a text would be 0x80.
            return BusError(name: "org.freedesktop.DBus.Error.Failed", message: text)
        }
    }
}
