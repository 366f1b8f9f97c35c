internal import BluejayDBus

/// `org.bluez.AdvertisementMonitor1`: advertisements that bluetoothd tells of while nobody discovers, as
/// it reads what they are.
package struct AdvertisementMonitor1: Equatable {
    /// The beginning of a field of an advertisement.
    package struct Pattern: Hashable {
        /// The place in the field.
        package var start: UInt8
        /// The type of the field (Assigned Numbers, 2.3).
        package var type: UInt8
        /// At most 31 bytes.
        package var content: [UInt8]
    }

    /// What bluetoothd calls the object for.
    struct Handlers {
        /// It tells of devices from now on.
        let activate: () -> Void
        /// It has let the monitor go, or has never taken it.
        let release: () -> Void
        /// A device sent something that fits; called for each advertisement.
        let found: (ObjectPath) -> Void
        /// The controller has lost a device; only some of those that look for patterns themselves do.
        let lost: (ObjectPath) -> Void
    }

    static let interface = "org.bluez.AdvertisementMonitor1"
    /// What it is: a list of patterns, one of which has to be there.
    static let kind = "or_patterns"
    /// bluetoothd 5.66 writes over its memory and ends when it gets more: it keeps their length, of 34
    /// bytes each, in one byte.
    package static let patternLimit = 7

    /// One of which an advertisement has to have.
    package let patterns: [Pattern]

    /// What is put on the bus.
    ///
    /// It has no thresholds of signal strength: with these bluetoothd never finds a device whose
    /// advertisements are further apart than the time for which it is to be strong.
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
            BusMethod(name, takes: "o") { call in
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
    /// Monitors that tell of whoever sends flags, with one of the values that there are, and of the data
    /// of companies.
    ///
    /// Services cannot be looked for: they are a list with any order, and bluetoothd finds no pattern in
    /// them from 5.69 on (BlueZ issues 652, 901, 2110), nor in the data of companies in some versions: who
    /// sends both is told for the flags.
    ///
    /// - Parameter companies: Their numbers, each with what its data begins with.
    /// - Returns: As many as it takes with ``patternLimit`` patterns each.
    package static func monitors(
        ofCompanies companies: [(number: UInt16, prefix: [UInt8])] = []
    ) -> [AdvertisementMonitor1] {
        // Bits 0 to 2, with both of bits 3 and 4 (both transports at once) or none of them.
        let values = Array(UInt8(0x00)...0x07) + Array(UInt8(0x18)...0x1F)
        let flags = values.map { Pattern(start: 0, type: 0x01, content: [$0]) }
        let data = companies.map { company in
            let number = [UInt8(company.number & 0xFF), UInt8(company.number >> 8)]
            let content = (number + company.prefix).prefix(31)
            return Pattern(start: 0, type: 0xFF, content: Array(content))
        }
        let all = data + flags
        return stride(from: 0, to: all.count, by: patternLimit).map {
            AdvertisementMonitor1(patterns: Array(all[$0..<min($0 + patternLimit, all.count)]))
        }
    }
}
