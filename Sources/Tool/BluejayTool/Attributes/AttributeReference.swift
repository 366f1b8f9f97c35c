import BluejayCommandLine
import BluejayCore

/// A reference to a service, a characteristic or a descriptor: a UUID or an assigned name.
struct AttributeReference: Equatable {
    private let text: String
    private let uuid: BluetoothUUID?
    private let displayText: String
    /// The index among attributes with the same UUID, as the library counts them; `nil` if not given.
    let instance: Int?

    /// Parses `2A37`, a UUID of 128 bits with or without hyphens, or `heart rate measurement` in any case and
    /// with any separators; a trailing `#1` selects the second attribute with that UUID.
    init(_ text: some StringProtocol) {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, let number = Int(parts[1]), number >= 0 {
            self.text = String(parts[0])
            instance = number
        } else {
            self.text = String(text)
            instance = nil
        }
        let trimmed =
            self.text.lowercased().hasPrefix("0x") ? String(self.text.dropFirst(2)) : self.text
        uuid = try? BluetoothUUID(validating: trimmed.hyphenatedUUID)
        displayText = Self.displayText(self.text)
    }

    /// Whether an attribute has this UUID or this whole assigned name.
    func matches(_ uuid: BluetoothUUID, instance: Int) -> Bool {
        guard self.instance == nil || self.instance == instance else { return false }
        if let own = self.uuid, own == uuid { return true }
        guard let name = uuid.standardName, !displayText.isEmpty else { return false }
        return Self.displayText(name) == displayText
    }

    /// The UUID without reference to a device.
    ///
    /// - Returns: `nil` if the text is neither a UUID nor a whole assigned name.
    var assigned: BluetoothUUID? {
        uuid ?? Self.assignedNumbers.first { matches($0, instance: instance ?? 0) }
    }

    /// Whether the text is a UUID, or the assigned name of a characteristic.
    var isCharacteristic: Bool {
        // The numbers of services are below 2800.
        uuid != nil
            || Self.assignedNumbers.contains {
                $0.uuidString >= "2800" && matches($0, instance: instance ?? 0)
            }
    }

    private static let assignedNumbers: [BluetoothUUID] = StandardNames.lists
        .flatMap(StandardNames.rows(of:)).map { BluetoothUUID(string: $0.number) }

    private static func displayText(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}

extension BluetoothUUID {
    /// Formats the shortest UUID, with the index unless it is the first with that UUID: `2A4D#1`.
    func displayText(_ instance: Int, always: Bool = false) -> String {
        let text = uuidString.printable
        return instance == 0 && !always ? text : "\(text)#\(instance)"
    }
}
