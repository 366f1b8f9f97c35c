import BluejayCore

extension HeartRateReading: FieldedReading {
    var fields: [ReadingField] {
        var fields = [ReadingField("heart rate", Double(beatsPerMinute), "bpm")]
        if let contact { fields.append(ReadingField("contact", text: contact)) }
        fields.add("energy", energyExpendedInKilojoules, "kJ")
        if !rrIntervalsIn1024ths.isEmpty {
            let seconds = rrIntervalsIn1024ths.map { Double($0) / 1024 }
            fields.append(ReadingField("RR intervals", values: seconds, "s"))
        }
        return fields
    }

    /// The reading as text, such as `72 bpm, contact, 12 kJ, RR 0.833 s`.
    var displayText: String {
        var words = ["\(beatsPerMinute) bpm"]
        if let contact { words.append(contact) }
        if let energyExpendedInKilojoules { words.append("\(energyExpendedInKilojoules) kJ") }
        words += rrIntervalsIn1024ths.map { interval in
            let thousandths = (Int(interval) * 1000 + 512) / 1024
            let digits = String(1000 + thousandths % 1000).dropFirst()
            return "RR \(thousandths / 1000).\(digits) s"
        }
        return words.joined(separator: ", ")
    }

    private var contact: String? {
        switch sensorContact {
        case .notSupported: nil
        case .notDetected: "no contact"
        case .detected: "contact"
        }
    }
}
