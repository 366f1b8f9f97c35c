/// The appearance that a peripheral reports: a category of ten bits and a subcategory of six.
///
/// The numbers are those of Bluetooth's Assigned Numbers, as published in 2026.
public struct Appearance: RawRepresentable, Hashable, Swift.Sendable {
    /// The whole number.
    public let rawValue: UInt16

    /// Creates an appearance from its number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The category, such as 0x00D for a heart rate sensor.
    public var category: UInt16 { rawValue >> 6 }

    /// The subcategory; 0 is generic.
    public var subcategory: UInt16 { rawValue & 0x3F }

    /// The English name of the category, such as `Heart Rate Sensor`, or `nil` for a reserved number.
    public var categoryName: String? {
        if Int(category) < Self.names.count { return Self.names[Int(category)] }
        return Self.laterNames[category]
    }

    private static let names = [
        "Unknown", "Phone", "Computer", "Watch", "Clock", "Display", "Remote Control",
        "Eye-glasses", "Tag", "Keyring", "Media Player", "Barcode Scanner", "Thermometer",
        "Heart Rate Sensor", "Blood Pressure", "Human Interface Device", "Glucose Meter",
        "Running Walking Sensor", "Cycling", "Control Device", "Network Device", "Sensor",
        "Light Fixtures", "Fan", "HVAC", "Air Conditioning", "Humidifier", "Heating",
        "Access Control", "Motorized Device", "Power Device", "Light Source", "Window Covering",
        "Audio Sink", "Audio Source", "Motorized Vehicle", "Domestic Appliance",
        "Wearable Audio Device", "Aircraft", "AV Equipment", "Display Equipment", "Hearing aid",
        "Gaming", "Signage",
    ]

    private static let laterNames: [UInt16: String] = [
        0x031: "Pulse Oximeter", 0x032: "Weight Scale", 0x033: "Personal Mobility Device",
        0x034: "Continuous Glucose Monitor", 0x035: "Insulin Pump", 0x036: "Medication Delivery",
        0x037: "Spirometer", 0x051: "Outdoor Sports Activity",
        0x052: "Industrial Measurement Device", 0x053: "Industrial Tools",
        0x054: "Cookware Device",
    ]
}

extension Appearance: CustomStringConvertible {
    /// The name of the category, or the number.
    public var description: String {
        categoryName ?? Hexadecimal.text(UInt64(rawValue), digits: 4, isUppercase: true)
    }
}
