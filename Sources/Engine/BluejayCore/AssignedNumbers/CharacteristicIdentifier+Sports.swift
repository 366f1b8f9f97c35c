extension CharacteristicIdentifier {
    // MARK: Running Speed and Cadence

    /// RSC Measurement, `2A53`.
    public static let rscMeasurement = Self(0x2A53, .runningSpeedAndCadence)

    /// RSC Feature, `2A54`.
    public static let rscFeature = Self(0x2A54, .runningSpeedAndCadence)

    /// SC Control Point, `2A55`.
    public static let rscControlPoint = Self(0x2A55, .runningSpeedAndCadence)

    /// Sensor Location, `2A5D`.
    public static let rscSensorLocation = Self(0x2A5D, .runningSpeedAndCadence)

    // MARK: Cycling Speed and Cadence

    /// SC Control Point, `2A55`.
    public static let cscControlPoint = Self(0x2A55, .cyclingSpeedAndCadence)

    /// CSC Measurement, `2A5B`.
    public static let cscMeasurement = Self(0x2A5B, .cyclingSpeedAndCadence)

    /// CSC Feature, `2A5C`.
    public static let cscFeature = Self(0x2A5C, .cyclingSpeedAndCadence)

    /// Sensor Location, `2A5D`.
    public static let cscSensorLocation = Self(0x2A5D, .cyclingSpeedAndCadence)

    // MARK: Cycling Power

    /// Sensor Location, `2A5D`.
    public static let cyclingPowerSensorLocation = Self(0x2A5D, .cyclingPower)

    /// Cycling Power Measurement, `2A63`.
    public static let cyclingPowerMeasurement = Self(0x2A63, .cyclingPower)

    /// Cycling Power Vector, `2A64`.
    public static let cyclingPowerVector = Self(0x2A64, .cyclingPower)

    /// Cycling Power Feature, `2A65`.
    public static let cyclingPowerFeature = Self(0x2A65, .cyclingPower)

    /// Cycling Power Control Point, `2A66`.
    public static let cyclingPowerControlPoint = Self(0x2A66, .cyclingPower)

    // MARK: Location and Navigation

    /// Location and Speed, `2A67`.
    public static let locationAndSpeed = Self(0x2A67, .locationAndNavigation)

    /// Navigation, `2A68`.
    public static let navigation = Self(0x2A68, .locationAndNavigation)

    /// Position Quality, `2A69`.
    public static let positionQuality = Self(0x2A69, .locationAndNavigation)

    /// LN Feature, `2A6A`.
    public static let lnFeature = Self(0x2A6A, .locationAndNavigation)

    /// LN Control Point, `2A6B`.
    public static let lnControlPoint = Self(0x2A6B, .locationAndNavigation)

    // MARK: Fitness Machine

    /// Fitness Machine Feature, `2ACC`.
    public static let fitnessMachineFeature = Self(0x2ACC, .fitnessMachine)

    /// Treadmill Data, `2ACD`.
    public static let treadmillData = Self(0x2ACD, .fitnessMachine)

    /// Cross Trainer Data, `2ACE`.
    public static let crossTrainerData = Self(0x2ACE, .fitnessMachine)

    /// Step Climber Data, `2ACF`.
    public static let stepClimberData = Self(0x2ACF, .fitnessMachine)

    /// Stair Climber Data, `2AD0`.
    public static let stairClimberData = Self(0x2AD0, .fitnessMachine)

    /// Rower Data, `2AD1`.
    public static let rowerData = Self(0x2AD1, .fitnessMachine)

    /// Indoor Bike Data, `2AD2`.
    public static let indoorBikeData = Self(0x2AD2, .fitnessMachine)

    /// Training Status, `2AD3`.
    public static let trainingStatus = Self(0x2AD3, .fitnessMachine)

    /// Supported Speed Range, `2AD4`.
    public static let supportedSpeedRange = Self(0x2AD4, .fitnessMachine)

    /// Supported Inclination Range, `2AD5`.
    public static let supportedInclinationRange = Self(0x2AD5, .fitnessMachine)

    /// Supported Resistance Level Range, `2AD6`.
    public static let supportedResistanceLevelRange = Self(0x2AD6, .fitnessMachine)

    /// Supported Heart Rate Range, `2AD7`.
    public static let supportedHeartRateRange = Self(0x2AD7, .fitnessMachine)

    /// Supported Power Range, `2AD8`.
    public static let supportedPowerRange = Self(0x2AD8, .fitnessMachine)

    /// Fitness Machine Control Point, `2AD9`.
    public static let fitnessMachineControlPoint = Self(0x2AD9, .fitnessMachine)

    /// Fitness Machine Status, `2ADA`.
    public static let fitnessMachineStatus = Self(0x2ADA, .fitnessMachine)
}
