import BluejayCore
import Foundation
import TestTraits
import Testing

/// A generator with the same sequence in each run.
private struct Dice: RandomNumberGenerator {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

@Suite("Readings of hostile values")
struct HostileReadingTests {
    static var types: [any Receivable.Type] {
        [
            BatteryStatusReading.self, CurrentTimeReading.self, PulseOximeterSpotCheckReading.self,
            GlucoseContextReading.self, TreadmillReading.self, IndoorBikeReading.self,
            RowerReading.self,
            BatteryReading.self, TemperatureReading.self, HumidityReading.self,
            PressureReading.self,
            ThermometerReading.self, BloodPressureReading.self, WeightReading.self,
            BodyCompositionReading.self, GlucoseReading.self, CyclingSpeedAndCadenceReading.self,
            CyclingPowerReading.self, RunningSpeedAndCadenceReading.self, PulseOximeterReading.self,
            HeartRateReading.self, BluetoothDateTime.self, MedFloat16.self, MedFloat32.self,
            UInt24.self, Float.self, Double.self, PlugAndPlayIdentifier.self, SystemIdentifier.self,
            PresentationFormat.self,
        ]
    }

    private func decodes(_ type: any Receivable.Type, _ data: Data) -> Bool {
        do {
            _ = try type.init(bluetoothData: data)
            return true
        } catch {
            #expect(error is BluejayError)
            return false
        }
    }

    @Test("Decoding traps for no sequence of bytes, of any length and with any flags", .computing)
    func random() {
        var dice = Dice()
        for type in Self.types {
            for flags in UInt16.min...0x1FFF {
                let length = Int.random(in: 0...48, using: &dice)
                var bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &dice) }
                for (index, byte) in [UInt8(flags & 0xFF), UInt8(flags >> 8)].enumerated()
                where index < length { bytes[index] = byte }
                _ = decodes(type, Data(bytes))
                _ = decodes(type, Data(bytes).dropFirst())
            }
        }
    }

    @Test(
        "A value that decodes at one length decodes at each longer one",
        .computing
    )
    func truncations() {
        let readings = Self.types.prefix(21)
        var dice = Dice()
        for type in readings {
            for flags in UInt16.min...0x1FFF {
                var bytes = [UInt8(flags & 0xFF), UInt8(flags >> 8)]
                bytes += (0..<44).map { _ in UInt8.random(in: 0...255, using: &dice) }
                #expect(decodes(type, Data(bytes)))
                // Bisection finds the shortest value that can be decoded; one byte less cannot.
                var (short, long) = (0, bytes.count)
                while long - short > 1 {
                    let middle = (short + long) / 2
                    if decodes(type, Data(bytes.prefix(middle))) {
                        long = middle
                    } else {
                        short = middle
                    }
                }
                if flags.isMultiple(of: 61) {
                    for length in 0..<bytes.count {
                        #expect(decodes(type, Data(bytes.prefix(length))) == (length >= long))
                    }
                }
            }
        }
    }
}
