import BluejayCore

/// The names of appearances: of all categories, and of the subcategories of common devices.
///
/// The numbers are those of Bluetooth's Assigned Numbers, 2.6.
enum AppearanceNames {
    /// Returns the name of the subcategory, or of the category if the table has no such subcategory.
    static func name(of appearance: Appearance) -> String? {
        all[UInt64(appearance.rawValue)] ?? appearance.categoryName
    }

    /// The names by the whole number.
    static let all: [UInt64: String] = {
        var names: [UInt64: String] = [:]
        for category in UInt16.min...0x3FF {
            let appearance = Appearance(rawValue: category << 6)
            names[UInt64(appearance.rawValue)] = appearance.categoryName
        }
        for (category, subcategories) in subcategories {
            for (index, name) in subcategories.enumerated() {
                names[category << 6 + UInt64(index) + 1] = name
            }
        }
        return names
    }()

    /// The subcategories from 1 on, by category.
    private static let subcategories: [UInt64: [String]] = [
        0x002: [
            "Desktop Workstation", "Server-class Computer", "Laptop", "Handheld PC/PDA (clamshell)",
            "Palm-size PC/PDA", "Wearable computer (watch size)", "Tablet", "Docking Station",
            "All in One", "Blade Server", "Convertible", "Detachable", "IoT Gateway", "Mini PC",
            "Stick PC",
        ],
        0x003: ["Sports Watch", "Smartwatch"],
        0x00C: ["Ear Thermometer"],
        0x00D: ["Heart Rate Belt"],
        0x00E: ["Arm Blood Pressure", "Wrist Blood Pressure"],
        0x00F: [
            "Keyboard", "Mouse", "Joystick", "Gamepad", "Digitizer Tablet", "Card Reader",
            "Digital Pen", "Barcode Scanner", "Touchpad", "Presentation Remote",
        ],
        0x011: ["In-Shoe Sensor", "On-Shoe Sensor", "On-Hip Sensor"],
        0x012: [
            "Cycling Computer", "Speed Sensor", "Cadence Sensor", "Power Sensor",
            "Speed and Cadence Sensor",
        ],
        0x031: ["Fingertip Pulse Oximeter", "Wrist Worn Pulse Oximeter"],
        0x051: [
            "Location Display", "Location and Navigation Display", "Location Pod",
            "Location and Navigation Pod",
        ],
    ]
}

extension Appearance {
    /// The name with the number, such as `Heart Rate Belt (833)`.
    var displayText: String {
        AppearanceNames.name(of: self).map { "\($0) (\(rawValue))" } ?? "\(rawValue)"
    }
}
