private typealias Text = DescriptionText

extension HeartRateReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `72 bpm, skin contact`.
    public var description: String {
        let contact: String? =
            switch sensorContact {
            case .notSupported: nil
            case .notDetected: "no skin contact"
            case .detected: "skin contact"
            }
        let intervals = rrIntervals.map { "\(Int(($0 / .milliseconds(1)).rounded())) ms" }
        return Text.line(
            "\(beatsPerMinute) bpm",
            contact,
            Text.number(energyExpendedInKilojoules, "kJ"),
            Text.list("intervals", intervals)
        )
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension BatteryReading: CustomStringConvertible {
    /// Such as `87 %`.
    public var description: String { Text.number(percent, "%") ?? "unknown charge" }
}

extension TemperatureReading: CustomStringConvertible {
    /// Such as `21.5 °C`.
    public var description: String { Text.number(celsius, "°C") ?? "unknown temperature" }
}

extension HumidityReading: CustomStringConvertible {
    /// Such as `44.09 %`.
    public var description: String { Text.number(percent, "%") ?? "unknown humidity" }
}

extension PressureReading: CustomStringConvertible {
    /// Such as `101345.3 Pa`.
    public var description: String { "\(pascals) Pa" }
}

extension ThermometerReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `36.6 °C, mouth`.
    public var description: String {
        Text.line(
            "\(temperature) \(unit == .celsius ? "°C" : "°F")",
            site.map { "\($0)" },
            timestamp?.description
        )
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension BloodPressureReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `120/80 mmHg, mean 93, 72 bpm`.
    public var description: String {
        Text.line(
            "\(systolic)/\(diastolic) \(unit == .kilopascals ? "kPa" : "mmHg")",
            "mean \(meanArterialPressure)",
            Text.number(pulseRate, "bpm"),
            timestamp?.description
        )
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension WeightUnits {
    fileprivate var mass: String { self == .metric ? "kg" : "lb" }
    fileprivate var length: String { self == .metric ? "m" : "in" }
}

extension WeightReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `70.5 kg`.
    public var description: String {
        Text.line(
            Text.number(weight, units.mass) ?? "unknown weight",
            Text.number(height, units.length),
            timestamp?.description
        )
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension BodyCompositionReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `21.5 % body fat, 70.5 kg`.
    public var description: String {
        Text.line(
            Text.number(bodyFatPercentage, "% body fat") ?? "unknown body fat",
            Text.number(weight, units.mass),
            timestamp?.description
        )
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension GlucoseReading.Concentration: CustomStringConvertible {
    /// Such as `0.005 mol/L`.
    public var description: String { "\(value) \(unit == .molesPerLiter ? "mol/L" : "kg/L")" }
}

extension GlucoseReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `record 5, 0.005 mol/L, 2026-11-28 12:30:15`.
    public var description: String {
        Text.line("record \(sequenceNumber)", concentration?.description, "\(baseTime)")
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension GlucoseContextReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `context of record 5, 0.06 kg carbohydrate`.
    public var description: String {
        Text.line(
            "context of record \(sequenceNumber)",
            carbohydrate.map { "\($0.kilograms) kg carbohydrate" },
            exercise.map { "exercise for \($0.durationInSeconds) s" },
            medication.map { "medication \($0.amount) \($0.unit == .liters ? "L" : "kg")" }
        )
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension RevolutionCount: CustomStringConvertible {
    /// Such as `12 revolutions at 1.5 s`.
    public var description: String {
        "\(revolutions) revolutions at \(Double(lastEventTime) / Double(max(ticksPerSecond, 1))) s"
    }
}

extension CyclingSpeedAndCadenceReading: CustomStringConvertible {
    /// Such as `wheel 12 revolutions at 1.5 s`.
    public var description: String {
        let text = Text.line(wheel.map { "wheel \($0)" }, crank.map { "crank \($0)" })
        return text.isEmpty ? "no revolutions" : text
    }
}

extension CyclingPowerReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `205 W, crank 12 revolutions at 1.5 s`.
    public var description: String {
        Text.line("\(watts) W", wheel.map { "wheel \($0)" }, crank.map { "crank \($0)" })
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension RunningSpeedAndCadenceReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `2.5 m/s, 160 steps per minute, running`.
    public var description: String {
        Text.line(
            "\(metersPerSecond) m/s",
            "\(stepsPerMinute) steps per minute",
            isRunning ? "running" : "walking",
            Text.number(totalDistanceInMeters, "m")
        )
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension PulseOximeterReading.Sample: CustomStringConvertible {
    /// Such as `97 % oxygen, 72 bpm`.
    public var description: String { "\(oxygenSaturation) % oxygen, \(pulseRate) bpm" }
}

extension PulseOximeterReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `97 % oxygen, 72 bpm`.
    public var description: String { normal.description }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension PulseOximeterSpotCheckReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `97 % oxygen, 72 bpm`.
    public var description: String { Text.line("\(sample)", timestamp?.description) }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension BatteryStatusReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `87 %, charging`.
    public var description: String {
        let state =
            switch chargeState {
            case .unknown: "charge state unknown"
            case .charging: "charging"
            case .dischargingActive: "discharging"
            case .dischargingInactive: "not in use"
            }
        return Text.line(isBatteryPresent ? nil : "no battery", battery?.description, state)
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension CurrentTimeReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `2026-11-28 12:30:15, Saturday`.
    public var description: String {
        Text.line("\(dateTime)", weekday == .unknown ? nil : "\(weekday)")
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension BluetoothDateTime: CustomStringConvertible {
    /// Such as `2026-11-28 12:30:15`; unknown fields are question marks.
    public var description: String {
        func two(_ number: UInt8?) -> String {
            number.map { $0 < 10 ? "0\($0)" : "\($0)" } ?? "??"
        }
        return "\(year.map { "\($0)" } ?? "????")-\(two(month))-\(two(day)) "
            + "\(two(hour)):\(two(minute)):\(two(second))"
    }
}

extension WorkoutReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `300 kcal, 140 bpm, 600 s`.
    public var description: String {
        Text.line(
            Text.number(energyInKilocalories, "kcal"),
            Text.number(beatsPerMinute, "bpm"),
            Text.number(elapsedTimeInSeconds, "s")
        )
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }

    fileprivate var part: String? { description.isEmpty ? nil : description }
}

extension TreadmillReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `12.34 km/h, 1000 m, 140 bpm`.
    public var description: String {
        Text.line(
            Text.number(kilometersPerHour, "km/h"),
            Text.number(distanceInMeters, "m"),
            Text.number(watts, "W"),
            workout.part
        )
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension IndoorBikeReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `25.0 km/h, 90.0 rpm, 205 W, 140 bpm`.
    public var description: String {
        Text.line(
            Text.number(kilometersPerHour, "km/h"),
            Text.number(revolutionsPerMinute, "rpm"),
            Text.number(distanceInMeters, "m"),
            Text.number(watts, "W"),
            workout.part
        )
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension RowerReading: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `27.5 strokes per minute, 300 strokes, 180 W`.
    public var description: String {
        Text.line(
            Text.number(strokesPerMinute, "strokes per minute"),
            Text.number(strokeCount, "strokes"),
            Text.number(distanceInMeters, "m"),
            Text.number(watts, "W"),
            workout.part
        )
    }

    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension UInt24: CustomStringConvertible {
    /// The number.
    public var description: String { "\(value)" }
}

extension MedFloat16: CustomStringConvertible {
    /// The number, or the name of the special value.
    public var description: String { specialValue.map { "\($0)" } ?? "\(doubleValue)" }
}

extension MedFloat32: CustomStringConvertible {
    /// The number, or the name of the special value.
    public var description: String { specialValue.map { "\($0)" } ?? "\(doubleValue)" }
}

extension BloodPressureReading.Status: CustomStringConvertible {
    /// The bits that are set, such as `bits 0, 4`, or `none`.
    public var description: String { Text.bits(rawValue) }
}

extension GlucoseReading.Status: CustomStringConvertible {
    /// The bits that are set, such as `bits 0, 4`, or `none`.
    public var description: String { Text.bits(rawValue) }
}

extension CurrentTimeReading.AdjustReasons: CustomStringConvertible {
    /// The bits that are set, such as `bits 0, 4`, or `none`.
    public var description: String { Text.bits(rawValue) }
}

extension BatteryStatusReading.ChargingFaults: CustomStringConvertible {
    /// The bits that are set, such as `bits 0, 2`, or `none`.
    public var description: String { Text.bits(rawValue) }
}

extension BatteryStatusReading.ChargingType: CustomStringConvertible {
    /// The English name, or the number.
    public var description: String {
        let names = [
            "unknown or not charging", "constant current", "constant voltage", "trickle", "float",
        ]
        return rawValue < names.count ? names[Int(rawValue)] : "\(rawValue)"
    }
}

extension PresentationFormat.Format: CustomStringConvertible {
    /// The assigned number.
    public var description: String { "\(rawValue)" }
}

extension BluejayError.Code: CustomStringConvertible {
    /// The number.
    public var description: String { "\(rawValue)" }
}
