internal import BluejayDBus

/// `org.bluez.AdvertisementMonitor1`: a filter for advertisements that bluetoothd reports without a
/// discovery, in the form that bluetoothd reads.
package struct AdvertisementMonitor1: Equatable {
    /// A byte sequence to match in a field of an advertisement.
    package struct Pattern: Hashable {
        /// The offset in the field.
        package var start: UInt8
        /// The type of the field (Assigned Numbers, 2.3).
        package var type: UInt8
        /// At most 31 bytes.
        package var content: [UInt8]
    }

    struct Handlers {
        /// bluetoothd starts to report devices.
        let activate: () -> Void
        /// bluetoothd released the monitor, or did not accept it.
        let release: () -> Void
        /// A device sent a matching advertisement; called for each advertisement.
        let found: (ObjectPath) -> Void
        /// The controller lost a device.
        ///
        /// Only some controllers that match patterns in hardware report this.
        let lost: (ObjectPath) -> Void
    }

    static let interface = "org.bluez.AdvertisementMonitor1"
    /// The monitor type: at least one pattern must match.
    static let kind = "or_patterns"
    /// The maximum number of patterns.
    ///
    /// More than seven crash bluetoothd 5.66, which keeps the total length, 34 bytes a pattern, in one
    /// byte and overruns its buffer.
    package static let maximumPatternCount = 7

    /// The patterns, one of which an advertisement must match.
    package let patterns: [Pattern]

    /// The D-Bus interface to export.
    ///
    /// It sets no RSSI thresholds: with thresholds, bluetoothd never finds a device whose advertising
    /// interval exceeds the threshold's timeout.
    func busInterface(_ handlers: Handlers) -> BusInterface {
        let patterns = BusValue.array(
            patterns.map { .structure([.byte($0.start), .byte($0.type), .bytes($0.content)]) },
            element: "(yyay)"
        )
        func told(_ name: String, _ handle: @escaping () -> Void) -> BusMethod {
            BusMethod(name) { call in
                call.reply()
                handle()
            }
        }
        func device(_ name: String, _ handle: @escaping (ObjectPath) -> Void) -> BusMethod {
            BusMethod(name, inputSignature: "o") { call in
                call.reply()
                if let path = call.arguments.first?.path { handle(path) }
            }
        }
        return BusInterface(
            Self.interface,
            properties: [
                BusProperty("Type", "s") { .string(Self.kind) },
                BusProperty("Patterns", "a(yyay)") { patterns },
            ],
            methods: [
                told("Activate", handlers.activate), told("Release", handlers.release),
                device("DeviceFound", handlers.found), device("DeviceLost", handlers.lost),
            ]
        )
    }
}

extension AdvertisementMonitor1 {
    /// Returns monitors that match all advertisements with flags, and the manufacturer data of
    /// `companies`.
    ///
    /// A monitor cannot match service UUIDs, which are lists in any order. Besides, bluetoothd 5.69 and
    /// later find no pattern in them (BlueZ issues 652, 901, 2110), and some versions find none in
    /// manufacturer data. A device that sends flags, too, is still reported for its flags.
    ///
    /// - Parameter companies: The company identifiers, each with the prefix of its data.
    /// - Returns: As many monitors as needed with ``maximumPatternCount`` patterns each.
    package static func monitors(
        ofCompanies companies: [(number: UInt16, prefix: [UInt8])] = []
    ) -> [AdvertisementMonitor1] {
        // Bits 0 to 2, combined with both of bits 3 and 4 (simultaneous LE and BR/EDR) or with neither.
        let values = Array(UInt8(0x00)...0x07) + Array(UInt8(0x18)...0x1F)
        let flags = values.map { Pattern(start: 0, type: 0x01, content: [$0]) }
        let data = companies.map { company in
            let number = [UInt8(company.number & 0xFF), UInt8(company.number >> 8)]
            let content = (number + company.prefix).prefix(31)
            return Pattern(start: 0, type: 0xFF, content: Array(content))
        }
        let all = data + flags
        return stride(from: 0, to: all.count, by: maximumPatternCount).map {
            AdvertisementMonitor1(
                patterns: Array(all[$0..<min($0 + maximumPatternCount, all.count)])
            )
        }
    }
}
