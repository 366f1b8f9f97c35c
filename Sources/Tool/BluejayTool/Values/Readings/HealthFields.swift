import BluejayCore

extension ThermometerReading: FieldedReading {
    var fields: [ReadingField] {
        var fields = [
            ReadingField("temperature", temperature, unit == .celsius ? "°C" : "°F")
        ]
        fields.add("time", timestamp)
        if let site { fields.append(ReadingField("site", text: site.displayText)) }
        return fields
    }
}

extension ThermometerReading.Site {
    fileprivate var displayText: String {
        switch self {
        case .armpit: "armpit"
        case .body: "body"
        case .ear: "ear"
        case .finger: "finger"
        case .gastrointestinalTract: "gastrointestinal tract"
        case .mouth: "mouth"
        case .rectum: "rectum"
        case .toe: "toe"
        case .tympanum: "eardrum"
        }
    }
}

extension BloodPressureReading: FieldedReading {
    var fields: [ReadingField] {
        let unit = unit == .kilopascals ? "kPa" : "mmHg"
        var fields = [
            ReadingField("systolic", systolic, unit), ReadingField("diastolic", diastolic, unit),
            ReadingField("mean", meanArterialPressure, unit),
        ]
        fields.add("time", timestamp)
        fields.add("pulse", pulseRate, "bpm")
        fields.add("user", userID)
        fields.add(status: status?.rawValue)
        return fields
    }
}

extension WeightReading: FieldedReading {
    var fields: [ReadingField] {
        var fields = [ReadingField("weight", weight, units.mass)]
        fields.add("time", timestamp)
        fields.add("user", userID)
        fields.add("BMI", bodyMassIndex, "kg/m²")
        fields.add("height", height, units.length)
        return fields
    }
}

extension BodyCompositionReading: FieldedReading {
    var fields: [ReadingField] {
        var fields = [ReadingField("fat", bodyFatPercentage, "%")]
        fields.add("time", timestamp)
        fields.add("user", userID)
        fields.add("basal metabolism", basalMetabolismInKilojoules, "kJ")
        fields.add("muscle", musclePercentage, "%")
        fields.add("muscle mass", muscleMass, units.mass)
        fields.add("fat-free mass", fatFreeMass, units.mass)
        fields.add("soft lean mass", softLeanMass, units.mass)
        fields.add("body water", bodyWaterMass, units.mass)
        fields.add("impedance", impedanceInOhms, "Ω")
        fields.add("weight", weight, units.mass)
        fields.add("height", height, units.length)
        return fields
    }
}

extension WeightUnits {
    fileprivate var mass: String { self == .metric ? "kg" : "lb" }
    fileprivate var length: String { self == .metric ? "m" : "in" }
}

extension GlucoseReading: FieldedReading {
    var fields: [ReadingField] {
        var fields: [ReadingField] = []
        if let concentration {
            // Meters display thousandths of the unit.
            let isMolar = concentration.unit == .molesPerLiter
            var field = ReadingField("glucose", concentration.value, isMolar ? "mmol/L" : "mg/dL")
            field.number = field.number.map { $0 * (isMolar ? 1000 : 100_000) }
            fields.append(field)
        }
        fields.add("record", sequenceNumber)
        fields.add("time", baseTime)
        fields.add("offset", timeOffsetInMinutes, "min")
        fields.add(status: status?.rawValue)
        return fields
    }
}

extension PulseOximeterReading: FieldedReading {
    var fields: [ReadingField] {
        var fields: [ReadingField] = []
        for (name, sample) in [("", normal), ("fast ", fast), ("slow ", slow)] {
            fields.add(name + "SpO2", sample?.oxygenSaturation, "%")
            fields.add(name + "pulse", sample?.pulseRate, "bpm")
        }
        fields.add("pulse amplitude index", pulseAmplitudeIndex, "%")
        fields.add(status: measurementStatus)
        if let bits = deviceAndSensorStatus?.value, bits != 0 {
            fields.append(ReadingField("sensor status", text: "0x" + String(bits, radix: 16)))
        }
        return fields
    }
}
