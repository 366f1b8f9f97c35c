internal import BluejayCore

private func text(_ psm: UInt16) -> String {
    "0x\(Hexadecimal.text(UInt64(psm), digits: 4, isUppercase: true))"
}

extension L2CAPChannel: CustomStringConvertible {
    /// Such as `channel to Lamp (C4:7C:8D:6A:1F:02), PSM 0x0080, open`.
    public var description: String {
        "channel to \(peer), PSM \(text(psm)), \(isOpen ? "open" : "not open")"
    }
}

extension L2CAPListener: CustomStringConvertible {
    /// Such as `listener, PSM 0x0080`.
    public var description: String {
        psm == 0 ? "listener, not started" : "listener, PSM \(text(psm))"
    }
}
