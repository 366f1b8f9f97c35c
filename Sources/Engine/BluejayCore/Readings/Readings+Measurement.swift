#if Foundation || Encryption
    public import Foundation

    extension TemperatureReading {
        /// The temperature with its unit, or `nil` if the device does not know it.
        public var temperature: Measurement<UnitTemperature>? {
            celsius.map { Measurement(value: $0, unit: .celsius) }
        }
    }

    extension PressureReading {
        /// The pressure with its unit.
        public var pressure: Measurement<UnitPressure> {
            Measurement(value: pascals, unit: .newtonsPerMetersSquared)
        }
    }

    extension ThermometerReading {
        /// The temperature with its unit, or `nil` if it is not finite.
        public var measuredTemperature: Measurement<UnitTemperature>? {
            temperature.measurement(unit == .celsius ? .celsius : .fahrenheit)
        }
    }

    extension BloodPressureReading {
        /// The systolic pressure with its unit, or `nil` if it is not finite.
        public var systolicPressure: Measurement<UnitPressure>? { systolic.measurement(pressure) }

        /// The diastolic pressure with its unit, or `nil` if it is not finite.
        public var diastolicPressure: Measurement<UnitPressure>? { diastolic.measurement(pressure) }

        /// The mean arterial pressure with its unit, or `nil` if it is not finite.
        public var meanPressure: Measurement<UnitPressure>? {
            meanArterialPressure.measurement(pressure)
        }

        private var pressure: UnitPressure {
            unit == .kilopascals ? .kilopascals : .millimetersOfMercury
        }
    }

    extension WeightReading {
        /// The weight with its unit, or `nil` if the measurement failed.
        public var measuredWeight: Measurement<UnitMass>? { units.mass(weight) }

        /// The height with its unit, or `nil` if absent.
        public var measuredHeight: Measurement<UnitLength>? { units.length(height) }
    }

    extension BodyCompositionReading {
        /// The muscle mass with its unit, or `nil` if absent.
        public var measuredMuscleMass: Measurement<UnitMass>? { units.mass(muscleMass) }

        /// The fat-free mass with its unit, or `nil` if absent.
        public var measuredFatFreeMass: Measurement<UnitMass>? { units.mass(fatFreeMass) }

        /// The soft lean mass with its unit, or `nil` if absent.
        public var measuredSoftLeanMass: Measurement<UnitMass>? { units.mass(softLeanMass) }

        /// The body water mass with its unit, or `nil` if absent.
        public var measuredBodyWaterMass: Measurement<UnitMass>? { units.mass(bodyWaterMass) }

        /// The weight with its unit, or `nil` if absent.
        public var measuredWeight: Measurement<UnitMass>? { units.mass(weight) }

        /// The height with its unit, or `nil` if absent.
        public var measuredHeight: Measurement<UnitLength>? { units.length(height) }

        /// The basal metabolism with its unit, or `nil` if absent.
        public var basalMetabolism: Measurement<UnitEnergy>? {
            basalMetabolismInKilojoules.map { Measurement(value: Double($0), unit: .kilojoules) }
        }

        /// The impedance with its unit, or `nil` if absent.
        public var impedance: Measurement<UnitElectricResistance>? {
            impedanceInOhms.map { Measurement(value: $0, unit: .ohms) }
        }
    }

    extension GlucoseReading.Concentration {
        /// The concentration with its unit, or `nil` if it is not finite.
        ///
        /// A mole of glucose has 180.156 g.
        public var measurement: Measurement<UnitConcentrationMass>? {
            let number = value.doubleValue
            guard number.isFinite else { return nil }
            return switch unit {
            case .kilogramsPerLiter: Measurement(value: number * 1000, unit: .gramsPerLiter)
            case .molesPerLiter:
                Measurement(
                    value: number * 1000,
                    unit: .millimolesPerLiter(withGramsPerMole: 180.156)
                )
            }
        }
    }

    extension CyclingPowerReading {
        /// The power with its unit.
        public var power: Measurement<UnitPower> { Measurement(value: Double(watts), unit: .watts) }

        /// The accumulated energy with its unit, or `nil` if absent.
        public var accumulatedEnergy: Measurement<UnitEnergy>? {
            accumulatedEnergyInKilojoules.map { Measurement(value: Double($0), unit: .kilojoules) }
        }
    }

    extension RunningSpeedAndCadenceReading {
        /// The speed with its unit.
        public var speed: Measurement<UnitSpeed> {
            Measurement(value: metersPerSecond, unit: .metersPerSecond)
        }

        /// The length of a stride with its unit, or `nil` if absent.
        public var strideLength: Measurement<UnitLength>? {
            strideLengthInMeters.map { Measurement(value: $0, unit: .meters) }
        }

        /// The distance with its unit, or `nil` if absent.
        public var totalDistance: Measurement<UnitLength>? {
            totalDistanceInMeters.map { Measurement(value: $0, unit: .meters) }
        }
    }

    extension WeightUnits {
        fileprivate func mass(_ value: Double?) -> Measurement<UnitMass>? {
            value.map { Measurement(value: $0, unit: self == .metric ? .kilograms : .pounds) }
        }

        fileprivate func length(_ value: Double?) -> Measurement<UnitLength>? {
            value.map { Measurement(value: $0, unit: self == .metric ? .meters : .inches) }
        }
    }

    extension MedFloat16 {
        fileprivate func measurement<U: Unit>(_ unit: U) -> Measurement<U>? {
            doubleValue.isFinite ? Measurement(value: doubleValue, unit: unit) : nil
        }
    }

    extension MedFloat32 {
        fileprivate func measurement<U: Unit>(_ unit: U) -> Measurement<U>? {
            doubleValue.isFinite ? Measurement(value: doubleValue, unit: unit) : nil
        }
    }
#endif
