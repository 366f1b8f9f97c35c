import ArgumentParser
import BluejayCore

extension BluetoothDateTime {
    /// Parses `2026-11-29 12:30:15`, also with a `T` instead of the space.
    ///
    /// - Throws: `ValidationError` for other text, and for a date or a time that does not exist.
    init(typed text: String) throws {
        let parts = text.wholeMatch(
            of: #/([0-9]{4})-([0-9]{2})-([0-9]{2})[ T]([0-9]{2}):([0-9]{2}):([0-9]{2})/#
        )
        guard let parts = parts?.output, let year = UInt16(parts.1), let month = UInt8(parts.2),
            let day = UInt8(parts.3), let hour = UInt8(parts.4), let minute = UInt8(parts.5),
            let second = UInt8(parts.6)
        else {
            throw ValidationError("\(text) is not a date and time, such as 2026-11-29 12:30:15")
        }
        self.init(
            year: year,
            month: month,
            day: day,
            hour: hour,
            minute: minute,
            second: second
        )
        // On the air, 0 means that the device does not know the field.
        let isKnown = year > 0 && month > 0 && day > 0
        if let problem = isKnown ? problem : "the day \(text.prefix(10)) does not exist" {
            throw ValidationError("\(text) is not a date and time: \(problem)")
        }
    }
}
