import BluejayCore
import Foundation
import Testing

private let time: [UInt8] = [0xEA, 0x07, 11, 25, 12, 30, 15]
private let date = BluetoothDateTime(
    year: 2026,
    month: 11,
    day: 25,
    hour: 12,
    minute: 30,
    second: 15
)

private func decode<R: Receivable>(_ bytes: [UInt8], _ type: R.Type = R.self) throws -> R {
    try R(bluetoothData: Data([9] + bytes).dropFirst())
}

@Suite("Readings of common profiles")
struct ReadingTests {
    @Test("Battery and environment readings are scaled numbers, and nil if unknown")
    func environment() throws {
        #expect(try decode([80, 1], BatteryReading.self).percent == 80)
        #expect(BatteryReading(percent: 80).toBluetoothData() == Data([80]))
        let temperature: TemperatureReading = try decode([0x50, 0x0D])
        #expect(temperature.celsius == 34.08)
        #expect(temperature.temperature == Measurement(value: 34.08, unit: .celsius))
        #expect(try decode([0x9C, 0xFF], TemperatureReading.self).celsius == -1)
        #expect(try decode([0, 0x80], TemperatureReading.self).celsius == nil)
        #expect(try decode([0x39, 0x11], HumidityReading.self).percent == 44.09)
        #expect(try decode([0xFF, 0xFF], HumidityReading.self).percent == nil)
        let pressure: PressureReading = try decode([0xCD, 0x76, 0x0F, 0])
        #expect(pressure.pascals == 101_345.3)
        #expect(pressure.pressure.converted(to: .hectopascals).value == 1013.453)
    }

    @Test("A reserved number is nil")
    func reserved() throws {
        for byte in UInt8.min ... .max {
            let percent: UInt8? = try decode([byte], BatteryReading.self).percent
            #expect(percent == (byte <= 100 ? byte : nil))
        }
        #expect(try decode([0x10, 0x27], HumidityReading.self).percent == 100)
        for bytes: [UInt8] in [[0x11, 0x27], [0xFE, 0xFF]] {
            #expect(try decode(bytes, HumidityReading.self).percent == nil)
        }
        #expect(try decode([0x4D, 0x95], TemperatureReading.self).celsius == -273.15)
        for bytes: [UInt8] in [[0x4C, 0x95], [0x01, 0x80]] {
            #expect(try decode(bytes, TemperatureReading.self).celsius == nil)
        }
    }

    @Test("A temperature measurement has a FLOAT, a unit, a time and a site")
    func thermometer() throws {
        let full: ThermometerReading = try decode([7, 0xDA, 3, 0, 0xFF] + time + [6, 0xEE])
        #expect(full.unit == .fahrenheit)
        #expect(full.temperature.doubleValue == 98.6)
        #expect(full.timestamp == date)
        #expect(full.site == .mouth)
        #expect(full.measuredTemperature == Measurement(value: 98.6, unit: .fahrenheit))
        let site: ThermometerReading = try decode([4, 0x6D, 1, 0, 0xFF, 2])
        #expect(site.temperature.doubleValue == 36.5)
        #expect(site.unit == .celsius)
        #expect(site.timestamp == nil)
        #expect(site.site == .body)
        let none: ThermometerReading = try decode([0, 0xFF, 0xFF, 0x7F, 0])
        #expect(none.temperature.specialValue == .notANumber)
        #expect(none.measuredTemperature == nil)
    }

    @Test("The optional fields of a blood pressure measurement follow each other")
    func bloodPressure() throws {
        let full: BloodPressureReading = try decode(
            [0x1E, 120, 0, 80, 0, 93, 0] + time + [72, 0, 3, 0x05, 0]
        )
        #expect(full.systolicPressure == Measurement(value: 120, unit: .millimetersOfMercury))
        #expect(full.diastolicPressure?.value == 80)
        #expect(full.meanPressure?.value == 93)
        #expect(full.timestamp == date)
        #expect(full.pulseRate?.doubleValue == 72)
        #expect(full.userID == 3)
        #expect(full.status == [.bodyMovement, .irregularPulse])
        let kilopascals: BloodPressureReading = try decode(
            [0x0D, 0xA0, 0xF0, 0x6B, 0xF0, 0xFF, 7, 72, 0, 0xFF]
        )
        #expect(kilopascals.systolicPressure == Measurement(value: 16, unit: .kilopascals))
        #expect(kilopascals.meanPressure == nil)
        #expect(kilopascals.pulseRate?.doubleValue == 72)
        #expect(kilopascals.userID == nil)
        #expect(kilopascals.timestamp == nil)
    }

    @Test("A weight is metric or imperial; the body mass index and the height share a flag")
    func weight() throws {
        let full: WeightReading = try decode([0x0E, 0x98, 0x3A] + time + [2, 0xE7, 0, 0x08, 7])
        #expect(full.weight == 75)
        #expect(full.measuredWeight == Measurement(value: 75, unit: .kilograms))
        #expect(full.timestamp == date)
        #expect(full.userID == 2)
        #expect(full.bodyMassIndex == 23.1)
        #expect(full.height == 1.8)
        let imperial: WeightReading = try decode([0x09, 0x96, 0x40, 0xE7, 0, 0xC4, 2])
        #expect(imperial.measuredWeight == Measurement(value: 165.34, unit: .pounds))
        #expect(imperial.measuredHeight == Measurement(value: 70.8, unit: .inches))
        #expect(try decode([0, 0xFF, 0xFF], WeightReading.self).weight == nil)
    }

    @Test("A body composition has up to twelve fields after the body fat")
    func bodyComposition() throws {
        let full: BodyCompositionReading = try decode(
            [0xFE, 0x1F, 0xD2, 0] + time
                + [1, 0x40, 0x1F, 0x90, 1, 0x10, 0x27, 0x20, 0x2E, 0x28, 0x2D]
                + [0x58, 0x1B, 0x88, 0x13, 0x98, 0x3A, 0x08, 7]
        )
        #expect(full.bodyFatPercentage == 21)
        #expect(full.timestamp == date)
        #expect(full.userID == 1)
        #expect(full.basalMetabolism == Measurement(value: 8000, unit: .kilojoules))
        #expect(full.musclePercentage == 40)
        #expect(full.muscleMass == 50)
        #expect(full.fatFreeMass == 59.04)
        #expect(full.softLeanMass == 57.8)
        #expect(full.bodyWaterMass == 35)
        #expect(full.impedance == Measurement(value: 500, unit: .ohms))
        #expect(full.weight == 75)
        #expect(full.height == 1.8)
        #expect(full.isMultiplePacket)
        let part: BodyCompositionReading = try decode([0x01, 0x02, 0xFF, 0xFF, 0x88, 0x13])
        #expect(part.bodyFatPercentage == nil)
        #expect(part.impedanceInOhms == 500)
        #expect(part.units == .imperial)
        #expect(part.weight == nil)
    }

    @Test("A glucose measurement has a time, and a concentration in one of two units")
    func glucose() throws {
        let full: GlucoseReading = try decode(
            [0x1B, 7, 0] + time + [0xC4, 0xFF, 0x64, 0xB0, 0x21, 0x20, 0]
        )
        #expect(full.sequenceNumber == 7)
        #expect(full.baseTime == date)
        #expect(full.timeOffsetInMinutes == -60)
        #expect(full.concentration?.value.doubleValue == 0.001)
        #expect(full.concentration?.measurement == Measurement(value: 1, unit: .gramsPerLiter))
        #expect(full.concentration?.sampleType == 1)
        #expect(full.concentration?.sampleLocation == 2)
        #expect(full.status == .resultTooHigh)
        #expect(full.isContextFollowing)
        let moles: GlucoseReading = try decode([0x06, 8, 0] + time + [0x37, 0xC0, 0x11])
        #expect(moles.timeOffsetInMinutes == nil)
        #expect(moles.concentration?.unit == .molesPerLiter)
        #expect(moles.concentration?.value.doubleValue == 0.0055)
        #expect(moles.status == nil)
    }

    @Test("Wheel and crank revolutions are counters that wrap around to 0")
    func speedAndCadence() throws {
        let one: CyclingSpeedAndCadenceReading = try decode(
            [3, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0xFC, 10, 0, 0, 4]
        )
        let two: CyclingSpeedAndCadenceReading = try decode([1, 3, 0, 0, 0, 0, 4])
        let (first, second) = (try #require(one.wheel), try #require(two.wheel))
        // Four revolutions in two seconds.
        #expect(second.revolutionsPerMinute(since: first) == 120)
        #expect(first.revolutionsPerMinute(since: first) == nil)
        #expect(one.crank?.revolutions == 10)
        #expect(two.crank == nil)
        let crank: CyclingSpeedAndCadenceReading = try decode([2, 10, 0, 0, 4])
        #expect(crank.crank == one.crank)
        #expect(crank.wheel == nil)
    }

    @Test("Cycling power has twelve optional fields; two angles share three bytes")
    func cyclingPower() throws {
        let full: CyclingPowerReading = try decode(
            [0xFF, 0x1F, 0xFA, 0, 101, 64, 0, 1, 0, 0, 0, 0, 8, 2, 0, 0, 4]
                + [100, 0, 0x9C, 0xFF, 32, 0, 0xE0, 0xFF]
                + [0x5A, 0xE0, 0x10, 10, 0, 190, 0, 42, 0]
        )
        #expect(full.watts == 250)
        #expect(full.power == Measurement(value: 250, unit: .watts))
        #expect(full.pedalPowerBalance == 50.5)
        #expect(full.isBalanceOfLeftPedal)
        #expect(full.accumulatedTorque == 2)
        #expect(full.torqueSource == .crank)
        #expect(full.wheel?.revolutions == 1)
        #expect(full.wheel?.ticksPerSecond == 2048)
        #expect(full.crank?.revolutions == 2)
        #expect(full.crank?.lastEventTime == 1024)
        #expect(full.extremeForces?.maximum == 100 && full.extremeForces?.minimum == -100)
        #expect(full.extremeTorques?.maximum == 1 && full.extremeTorques?.minimum == -1)
        #expect(full.extremeAngles?.maximum == 90 && full.extremeAngles?.minimum == 270)
        #expect(full.topDeadSpotAngle == 10)
        #expect(full.bottomDeadSpotAngle == 190)
        #expect(full.accumulatedEnergy == Measurement(value: 42, unit: .kilojoules))
        #expect(full.isOffsetCompensationIndicated)
        let energy: CyclingPowerReading = try decode([0, 8, 0xFF, 0xFF, 42, 0])
        #expect(energy.watts == -1)
        #expect(energy.accumulatedEnergyInKilojoules == 42)
        #expect(energy.wheel == nil && energy.extremeAngles == nil)
    }

    @Test("A running measurement has a speed, a cadence and an optional stride and distance")
    func running() throws {
        let full: RunningSpeedAndCadenceReading = try decode(
            [7, 0, 3, 170, 120, 0, 0x10, 0x27, 0, 0]
        )
        #expect(full.speed == Measurement(value: 3, unit: .metersPerSecond))
        #expect(full.stepsPerMinute == 170)
        #expect(full.strideLength == Measurement(value: 1.2, unit: .meters))
        #expect(full.totalDistance == Measurement(value: 1000, unit: .meters))
        #expect(full.isRunning)
        let distance: RunningSpeedAndCadenceReading = try decode([2, 0x80, 1, 90, 5, 0, 0, 0])
        #expect(distance.metersPerSecond == 1.5)
        #expect(distance.totalDistanceInMeters == 0.5)
        #expect(distance.strideLengthInMeters == nil)
        #expect(!distance.isRunning)
    }

    @Test("A pulse oximeter measurement has up to three samples and a 24-bit status")
    func pulseOximeter() throws {
        let full: PulseOximeterReading = try decode(
            [0x1F, 98, 0, 60, 0, 97, 0, 61, 0, 96, 0, 62, 0, 1, 2, 1, 2, 3, 0x19, 0xF0]
        )
        #expect(full.normal.oxygenSaturation.doubleValue == 98)
        #expect(full.normal.pulseRate.doubleValue == 60)
        #expect(full.fast?.oxygenSaturation.doubleValue == 97)
        #expect(full.slow?.pulseRate.doubleValue == 62)
        #expect(full.measurementStatus == 0x0201)
        #expect(full.deviceAndSensorStatus?.value == 0x030201)
        #expect(full.pulseAmplitudeIndex?.doubleValue == 2.5)
        let slow: PulseOximeterReading = try decode([2, 98, 0, 0xFF, 7, 96, 0, 62, 0])
        #expect(slow.fast == nil)
        #expect(slow.normal.pulseRate.specialValue == .notANumber)
        #expect(slow.slow?.oxygenSaturation.doubleValue == 96)
    }
}
