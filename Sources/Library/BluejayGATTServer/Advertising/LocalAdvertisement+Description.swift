internal import BluejayCore

extension LocalAdvertisement: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `"Lamp", services Heart Rate (180D)`.
    public var description: String {
        let text = DescriptionText.line(
            localName.map { "\"\($0.displayText)\"" },
            DescriptionText.list("services", serviceUUIDs.map(\.namedText)),
            isConnectable ? nil : "not connectable"
        )
        return text.isEmpty ? "no data" : text
    }

    /// All fields.
    public var debugDescription: String { DescriptionText.all(self) }
}
