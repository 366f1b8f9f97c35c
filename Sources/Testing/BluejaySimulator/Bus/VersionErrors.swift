internal import BluejayDBus

// The errors that differ between the versions of bluetoothd.

extension SimulatedBlueZVersion {
    /// The error of switching on while rfkill blocks the adapter.
    ///
    /// Debian 11's kernel reports the reason to bluetoothd; Linux 5.17 and later do not.
    var blocked: BusError {
        minor >= 66
            ? BlueZError.failed("Failed")
            : BusError(name: "org.bluez.Error.Blocked", message: "Blocked through rfkill")
    }

    /// The error of `Connect` while another one is pending.
    var connectingAlready: BusError {
        minor >= 82 ? BlueZError.inProgress : BlueZError.failed("Operation already in progress")
    }

    /// The error of `Connect` to an absent peer; the reasons have names since 5.62.
    var connectionAborted: BusError {
        BlueZError.failed(
            minor >= 62 ? "le-connection-abort-by-local" : "Software caused connection abort"
        )
    }

    /// The error of a cancelled `Connect`.
    var connectionCanceled: BusError {
        BlueZError.failed(minor >= 62 ? "br-connection-canceled" : "Operation canceled")
    }
}
