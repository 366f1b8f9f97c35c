/// The address of a device: six bytes, written `AA:BB:CC:DD:EE:FF`, and their type.
struct RadioAddress: Hashable {
    let text: String
    let type: AddressType

    init?(_ text: String, _ type: AddressType) {
        let upper = text.uppercased()
        let groups = upper.split(separator: ":", omittingEmptySubsequences: false)
        guard groups.count == 6,
            groups.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) })
        else { return nil }
        self.text = upper
        self.type = type
    }

    /// Creates the address of the emulated controller `hciN`.
    init(adapter index: Int) {
        let number = HexNumber.text(UInt8(truncatingIfNeeded: index), digits: 2).uppercased()
        text = "00:AA:01:\(number):00:\(number)"
        type = .public
    }

    var withOtherType: RadioAddress {
        RadioAddress(text, type: type == .public ? .random : .public)
    }

    private init(_ text: String, type: AddressType) {
        self.text = text
        self.type = type
    }

    /// The last element of the device's object path.
    var pathElement: String { "dev_" + text.replacing(":", with: "_") }

    /// The alias of a device without a name.
    var dashed: String { text.replacing(":", with: "-") }

    /// Whether the address changes with time, so that bluetoothd never stores the device.
    var isPrivate: Bool {
        guard type == .random, let first = Int(text.prefix(2), radix: 16) else { return false }
        // Static addresses have both highest bits set (Vol 6, Part B, 1.3.2).
        return first & 0xC0 != 0xC0
    }
}
