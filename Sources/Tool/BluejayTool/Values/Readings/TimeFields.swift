import BluejayCore

extension CurrentTimeReading: FieldedReading {
    var fields: [ReadingField] {
        var fields = [ReadingField("time", dateTime)]
        if weekday != .unknown {
            fields.append(ReadingField("day", text: "\(weekday)"))
        }
        if fractionsIn256ths > 0 {
            fields.append(ReadingField("fraction", Double(fractionsIn256ths) / 256, "s"))
        }
        let reasons: [(AdjustReasons, String)] = [
            (.manualUpdate, "manual update"), (.externalReference, "external reference"),
            (.timeZoneChange, "time zone"), (.daylightSavingChange, "daylight saving time"),
        ]
        let adjusted = reasons.filter { adjustReasons.contains($0.0) }.map(\.1)
        if !adjusted.isEmpty {
            fields.append(ReadingField("adjusted", text: adjusted.joined(separator: " and ")))
        }
        return fields
    }
}

extension BluetoothDateTime {
    /// The reason why the date or the time does not exist, or `nil`; unknown fields are valid.
    var problem: String? {
        if let year, !(1582...9999).contains(year) { return "the year is \(year)" }
        let days = daysInMonth
        if days == nil || day.map({ $0 > days ?? 0 }) == true {
            return "the day \(dayText) does not exist"
        }
        guard hour < 24, minute < 60, second < 60 else {
            return "the time \(timeText) does not exist"
        }
        return nil
    }

    /// The length of the month, the longest possible one if it is not certain; `nil` if there is no such month.
    private var daysInMonth: UInt8? {
        switch month {
        case 2:
            guard let year else { return 29 }
            return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: return 30
        case nil, 1, 3, 5, 7, 8, 10, 12: return 31
        default: return nil
        }
    }

    /// The date, such as `2026-11-25`; unknown parts are question marks.
    var dayText: String {
        let year = year.map { String($0).padded(to: 4) } ?? "????"
        let parts = [month, day].map { $0.map { String($0).padded(to: 2) } ?? "??" }
        return ([year] + parts).joined(separator: "-")
    }

    /// The time of day, such as `12:30:15`.
    var timeText: String {
        [hour, minute, second].map { String($0).padded(to: 2) }.joined(separator: ":")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        String(repeating: "0", count: Swift.max(0, width - count)) + self
    }
}
