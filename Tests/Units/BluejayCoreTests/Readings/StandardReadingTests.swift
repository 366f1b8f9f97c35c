import BluejayCore
import Foundation
import Testing

private let time: [UInt8] = [0xEA, 0x07, 11, 28, 12, 30, 15]

private func decode<R: Receivable>(_ bytes: [UInt8], _ type: R.Type = R.self) throws -> R {
    try R(bluetoothData: Data([9] + bytes).dropFirst())
}

@Suite("Readings of time, power, blood and exercise")
struct StandardReadingTests {
    @Test("A standard number has a name, and an unknown number is kept")
    func standardValues() throws {
        #expect(try decode([1], BodySensorLocation.self) == .chest)
        #expect(try decode([1, 2], BodySensorLocation.self).description == "Chest")
        let unknown: BodySensorLocation = try decode([77])
        #expect(unknown.rawValue == 77 && unknown.name == nil && unknown.description == "77")
        #expect(unknown.toBluetoothData() == Data([77]))
        #expect(BodySensorLocation.foot.name == "Foot")
        #expect(SensorLocation.chainRing.name == "Chain Ring")
        #expect(SensorLocation(rawValue: 17).name == nil)
        #expect(SensorLocation.other.name == "Other")
        #expect(AlertLevel.high.toBluetoothData() == Data([2]))
        #expect(BluetoothWeekday.sunday.name == "Sunday")
        #expect(BluetoothWeekday(rawValue: 8).name == nil)
        #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 1, count: 0)) {
            try decode([], BodySensorLocation.self)
        }
    }

    @Test("The current time is encoded and decoded with date, weekday, fraction and reasons")
    func currentTime() throws {
        let bytes = time + [6, 128, 0x0A]
        let reading: CurrentTimeReading = try decode(bytes)
        #expect(reading.dateTime.year == 2026 && reading.dateTime.second == 15)
        #expect(reading.weekday == .saturday)
        #expect(reading.fractionsIn256ths == 128)
        #expect(reading.adjustReasons == [.externalReference, .daylightSavingChange])
        #expect(reading.toBluetoothData() == Data(bytes))
        #expect(throws: BluejayError.self) {
            try decode(Array(bytes.dropLast()), CurrentTimeReading.self)
        }
    }

    @Test("The battery level status has the power sources, the charge and the faults")
    func batteryStatus() throws {
        // Present, wired source, wireless unknown, charging, good, constant voltage.
        let power: UInt16 = 1 | 1 << 1 | 2 << 3 | 1 << 5 | 1 << 7 | 2 << 9 | 0b101 << 12
        let state = [UInt8(power & 0xFF), UInt8(power >> 8)]
        let short: BatteryStatusReading = try decode([0] + state)
        #expect(short.isBatteryPresent)
        #expect(short.wiredPowerSource == .yes && short.wirelessPowerSource == .unknown)
        #expect(short.chargeState == .charging && short.chargeLevel == .good)
        #expect(short.chargingType == .constantVoltage)
        #expect(short.chargingFaults == [.battery, .other])
        #expect(short.identifier == nil && short.battery == nil)
        #expect(short.isServiceRequired == nil && short.hasBatteryFault == nil)
        let full: BatteryStatusReading = try decode([7, 0, 0, 0x2A, 1, 87, 0b101])
        #expect(!full.isBatteryPresent && full.chargeState == .unknown)
        #expect(full.identifier == 0x012A && full.battery?.percent == 87)
        #expect(full.isServiceRequired == .yes && full.hasBatteryFault == true)
        let reserved: BatteryStatusReading = try decode([6, 0xFF, 0xFF, 101, 3])
        #expect(reserved.wiredPowerSource == .reserved && reserved.battery?.percent == nil)
        #expect(reserved.chargingType.rawValue == 7 && reserved.isServiceRequired == .reserved)
        #expect(reserved.chargeState == .dischargingInactive && reserved.chargeLevel == .critical)
        #expect(throws: BluejayError.dataOutOfBounds(start: 3, length: 2, count: 4)) {
            try decode([1, 0, 0, 1], BatteryStatusReading.self)
        }
    }

    @Test("A spot check has its values and the announced time and status")
    func spotCheck() throws {
        let short: PulseOximeterSpotCheckReading = try decode([0, 97, 0, 72, 0])
        #expect(short.sample.oxygenSaturation.doubleValue == 97)
        #expect(short.sample.pulseRate.doubleValue == 72)
        #expect(short.timestamp == nil && !short.isClockNotSet)
        let full: PulseOximeterSpotCheckReading = try decode(
            [0x1F, 97, 0, 72, 0] + time + [0x20, 0x01, 1, 2, 3, 15, 0xF0]
        )
        #expect(full.timestamp?.day == 28)
        #expect(full.measurementStatus == 0x0120)
        #expect(full.deviceAndSensorStatus?.value == 0x03_0201)
        #expect(full.pulseAmplitudeIndex?.doubleValue == 1.5)
        #expect(full.isClockNotSet)
        #expect(throws: BluejayError.self) {
            try decode([1, 97, 0, 72, 0, 1], PulseOximeterSpotCheckReading.self)
        }
    }

    @Test("The context of a glucose measurement has the announced fields")
    func glucoseContext() throws {
        let short: GlucoseContextReading = try decode([0, 5, 1])
        #expect(short.sequenceNumber == 0x0105)
        #expect(short.carbohydrate == nil && short.medication == nil && short.tester == nil)
        // 0.06 kg at lunch, before a meal, by the patient without issues, half an hour at 40 %, 0.003 L of
        // long-acting insulin, HbA1c 6.5 %.
        let full: GlucoseContextReading = try decode([
            0xFF, 1, 0, 0, 2, 6, 0xE0, 1, 0x51, 0x08, 0x07, 40, 4, 3, 0xD0, 65, 0xF0,
        ])
        #expect(full.carbohydrate?.kind == 2)
        #expect(full.carbohydrate?.kilograms.doubleValue == 0.06)
        #expect(full.meal == 1 && full.tester == 1 && full.health == 5)
        #expect(full.exercise?.durationInSeconds == 1800)
        #expect(full.exercise?.intensityInPercent == 40)
        #expect(full.medication?.kind == 4 && full.medication?.unit == .liters)
        #expect(full.medication?.amount.doubleValue == 0.003)
        #expect(full.glycatedHemoglobin?.doubleValue == 6.5)
        let milligrams: GlucoseContextReading = try decode([0x10, 1, 0, 1, 5, 0xA0])
        #expect(milligrams.medication?.unit == .kilograms)
        #expect(throws: BluejayError.self) { try decode([1, 1, 0, 2], GlucoseContextReading.self) }
    }

    @Test(
        "A treadmill reports its speed if its flag is clear, and the other fields if theirs are set"
    )
    func treadmill() throws {
        // 12.34 km/h and 1,000 m.
        let short: TreadmillReading = try decode([0x04, 0, 0xD2, 0x04, 0xE8, 3, 0])
        #expect(short.kilometersPerHour == 12.34 && !short.isContinued)
        #expect(short.distanceInMeters?.value == 1000)
        #expect(short.workout.beatsPerMinute == nil && short.pace == nil)
        let full: TreadmillReading = try decode(
            [0xFF, 0x1F, 0xE8, 3, 1, 0, 0, 0xF6, 0xFF, 0xFF, 0x7F, 25, 0, 5, 0, 20, 18]
                + [0x2C, 1, 0xFF, 0xFF, 9, 140, 85, 0x58, 2, 60, 0, 100, 0, 0xCE, 0xFF]
        )
        #expect(full.isContinued && full.kilometersPerHour == nil)
        #expect(full.averageKilometersPerHour == 10)
        #expect(full.distanceInMeters?.value == 1)
        #expect(full.inclinationInPercent == -1 && full.rampAngleInDegrees == nil)
        #expect(full.ascentInMeters == 2.5 && full.descentInMeters == 0.5)
        #expect(full.pace == .kilometersPerMinute(2))
        #expect(full.averagePace == .kilometersPerMinute(1.8))
        #expect(full.workout.energyInKilocalories == 300)
        #expect(full.workout.kilocaloriesPerHour == nil && full.workout.kilocaloriesPerMinute == 9)
        #expect(full.workout.beatsPerMinute == 140 && full.workout.metabolicEquivalent == 8.5)
        #expect(full.workout.elapsedTimeInSeconds == 600)
        #expect(full.workout.remainingTimeInSeconds == 60)
        #expect(full.forceOnBeltInNewtons == 100 && full.watts == -50)
        // The form of the supplement, which its length shows.
        let wide: TreadmillReading = try decode([0x21, 0x01, 0x2C, 1, 140])
        #expect(wide.pace == .secondsPer500Meters(300) && wide.workout.beatsPerMinute == 140)
        #expect(throws: BluejayError.dataOutOfBounds(start: 2, length: 2, count: 3)) {
            try decode([0, 0, 1], TreadmillReading.self)
        }
        #expect(throws: BluejayError.self) { try decode([0], TreadmillReading.self) }
    }

    @Test("An indoor bike reports speed, cadence, resistance and power")
    func indoorBike() throws {
        // 25 km/h, 90 revolutions, resistance 12, 205 W, heart rate 150.
        let bytes: [UInt8] = [0x64, 0x02, 0xC4, 0x09, 180, 0, 12, 0, 0xCD, 0, 150]
        let bike: IndoorBikeReading = try decode(bytes)
        #expect(bike.kilometersPerHour == 25 && bike.revolutionsPerMinute == 90)
        #expect(bike.resistanceLevel == 12 && bike.watts == 205)
        #expect(bike.workout.beatsPerMinute == 150 && bike.averageWatts == nil)
        let supplement: IndoorBikeReading = try decode([0x61, 0x02, 3, 0xCD, 0, 150])
        #expect(supplement.kilometersPerHour == nil && supplement.resistanceLevel == 30)
        #expect(supplement.watts == 205 && supplement.workout.beatsPerMinute == 150)
        let all: IndoorBikeReading = try decode(
            [0xFE, 0x1F] + [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 0, 6, 0, 7, 0, 8, 0]
                + [9, 0, 10, 0, 11, 12, 13, 14, 0, 15, 0]
        )
        #expect(all.averageKilometersPerHour == 0.02 && all.averageRevolutionsPerMinute == 2)
        #expect(all.distanceInMeters?.value == 5 && all.resistanceLevel == 6)
        #expect(all.watts == 7 && all.averageWatts == 8)
        #expect(all.workout.energyInKilocalories == 9 && all.workout.metabolicEquivalent == 1.3)
        #expect(all.workout.remainingTimeInSeconds == 15)
        #expect(throws: BluejayError.self) {
            try decode(Array(bytes.dropLast(2)), IndoorBikeReading.self)
        }
    }

    @Test("A rower reports strokes, pace and power")
    func rower() throws {
        let rower: RowerReading = try decode([0x28, 0, 55, 0x2C, 1, 120, 0, 0xB4, 0])
        #expect(rower.strokesPerMinute == 27.5 && rower.strokeCount == 300)
        #expect(rower.secondsPer500Meters == 120 && rower.watts == 180)
        let rest: RowerReading = try decode(
            [0xD7, 0x08, 50, 9, 0, 0, 130, 0, 0x9C, 0xFF, 4, 0, 30, 0]
        )
        #expect(rest.isContinued && rest.strokesPerMinute == nil && rest.strokeCount == nil)
        #expect(rest.averageStrokesPerMinute == 25 && rest.distanceInMeters?.value == 9)
        #expect(rest.averageSecondsPer500Meters == 130 && rest.averageWatts == -100)
        #expect(rest.resistanceLevel == 4 && rest.workout.elapsedTimeInSeconds == 30)
        #expect(throws: BluejayError.self) { try decode([0, 0, 55, 1], RowerReading.self) }
    }
}
