internal import BluejayDBus

extension ATTErrorCode {
    /// bluetoothd's reply to a client whose peer refused with this code.
    var clientError: BusError {
        switch code {
        case _ where isRemoved: BlueZError.unknownObject
        case 0x02: BlueZError.notPermitted("Read not permitted")
        case 0x03: BlueZError.notPermitted("Write not permitted")
        case 0x05, 0x0C, 0x0F: BlueZError.notPermitted("Not paired")
        case 0x06: BlueZError.notSupported
        case 0x07: BlueZError.invalidArguments("Invalid offset")
        case 0x08: BlueZError.notAuthorized
        case 0x0D: BlueZError.invalidArguments("Invalid Length")
        case 0x00: BlueZError.failed("Operation failed")
        default:
            BlueZError.failed(
                "Operation failed with ATT error: 0x\(HexNumber.text(code, digits: 2))"
            )
        }
    }

    /// Returns the code that bluetoothd sends to a peer after an application refused with `error`.
    static func forApplicationError(
        _ error: BusError,
        isRead: Bool,
        to version: SimulatedBlueZVersion
    )
        -> ATTErrorCode
    {
        switch error.name {
        case "org.bluez.Error.Failed":
            ATTErrorCode(
                code: version.readsApplicationCodes ? applicationCode(error.message) : 0x80
            )
        case "org.bluez.Error.NotSupported": .requestNotSupported
        case "org.bluez.Error.NotAuthorized": ATTErrorCode(code: 0x08)
        case "org.bluez.Error.InvalidValueLength": .invalidLength
        case "org.bluez.Error.InvalidOffset": .invalidOffset
        case "org.bluez.Error.InProgress": ATTErrorCode(code: 0xFE)
        case "org.bluez.Error.ImproperlyConfigured" where version.knowsImproperConfiguration:
            .improperlyConfigured
        case "org.bluez.Error.NotPermitted": isRead ? .readNotPermitted : .writeNotPermitted
        default: .unlikely
        }
    }

    // As strtol with base 0: a number in 0x80...0x9f is sent, a text without digits gives 0x80, any other
    // 0x0e.
    private static func applicationCode(_ text: String) -> UInt8 {
        guard !text.isEmpty else { return 0x0E }
        let lower = text.lowercased()
        let number: Int?
        if lower.hasPrefix("0x") {
            number = Int(lower.dropFirst(2).prefix { $0.isHexDigit }, radix: 16)
        } else if lower.hasPrefix("0"), lower.count > 1 {
            number = Int(lower.prefix { $0.isNumber }, radix: 8)
        } else {
            number = Int(lower.prefix { $0.isNumber })
        }
        guard let number else { return 0x80 }
        return (0x80...0x9F).contains(number) ? UInt8(number) : 0x0E
    }
}
