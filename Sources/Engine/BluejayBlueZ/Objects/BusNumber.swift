internal import BluejayCore
package import BluejayDBus

/// The D-Bus type and the range of a number from bluetoothd.
///
/// Any other number reads as `nil`, so that arithmetic with the result cannot overflow.
package struct BusNumber {
    private let type: BusReader.Kind
    private let range: ClosedRange<Int>

    private init(_ type: BusReader.Kind, _ range: ClosedRange<Int>) {
        self.type = type
        self.range = range
    }

    /// Reads a value, with or without a variant around it.
    package func read(_ value: BusValue?) -> Int? {
        guard let number = value?.integer(as: type), range.contains(number) else { return nil }
        return number
    }

    /// Reads the current argument of `reader`.
    func read(_ reader: borrowing BusReader) -> Int? {
        guard reader.kind == type, let number = reader.integer(), range.contains(number) else {
            return nil
        }
        return number
    }
}

extension BusNumber {
    // MARK: Devices

    /// `Device1.RSSI` in dBm; 127 means that the strength is unknown (Core Specification, Vol 4, Part E,
    /// 7.7.65.2).
    static let signalStrength = BusNumber(.int16, -127...20)
    /// `Device1.TxPower` in dBm (Core Specification Supplement, Part A, 1.5).
    static let transmitPower = BusNumber(.int16, -127...127)
    /// `Device1.Appearance`.
    static let appearance = BusNumber(.uint16, 0...0xFFFF)
    /// A key of `Device1.ManufacturerData`.
    static let company = BusNumber(.uint16, 0...0xFFFF)
    /// `Battery1.Percentage`.
    static let percentage = BusNumber(.byte, 0...100)

    // MARK: Attributes

    /// An ATT MTU, which is at least 23 (Core Specification, Vol 3, Part G, 5.2.1).
    static let mtu = BusNumber(.uint16, ATTLimits.minimumMTU...0xFFFF)
    /// The option `offset` of `ReadValue` and `WriteValue`.
    static let offset = BusNumber(.uint16, 0...0xFFFF)

    // MARK: Adapters

    /// `LEAdvertisingManager1.SupportedInstances`.
    static let instances = BusNumber(.byte, 0...0xFF)

    // MARK: Pairing

    /// The passkey of `Agent1`.
    static let passkey = BusNumber(.uint32, 0...999_999)
    /// The number of digits typed on the other device.
    static let enteredDigits = BusNumber(.uint16, 0...6)

    // MARK: Channels of the simulated kernel

    /// The number of an LE channel.
    static let psm = BusNumber(.uint16, 1...0xFF)
    /// The maximum SDU length of a channel (Core Specification, Vol 3, Part A, 4.22).
    static let channelMTU = BusNumber(.uint16, 23...0xFFFF)
}
