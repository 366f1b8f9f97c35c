extension CharacteristicIdentifier {
    // MARK: Glucose

    /// Glucose Measurement, `2A18`.
    public static let glucoseMeasurement = Self(0x2A18, .glucose)

    /// Glucose Measurement Context, `2A34`.
    public static let glucoseMeasurementContext = Self(0x2A34, .glucose)

    /// Glucose Feature, `2A51`.
    public static let glucoseFeature = Self(0x2A51, .glucose)

    /// Record Access Control Point, `2A52`.
    public static let glucoseRecordAccessControlPoint = Self(0x2A52, .glucose)

    // MARK: Health Thermometer

    /// Temperature Measurement, `2A1C`.
    public static let temperatureMeasurement = Self(0x2A1C, .healthThermometer)

    /// Temperature Type, `2A1D`.
    public static let temperatureType = Self(0x2A1D, .healthThermometer)

    /// Intermediate Temperature, `2A1E`.
    public static let intermediateTemperature = Self(0x2A1E, .healthThermometer)

    /// Measurement Interval, `2A21`.
    public static let measurementInterval = Self(0x2A21, .healthThermometer)

    // MARK: Heart Rate

    /// Heart Rate Measurement, `2A37`.
    public static let heartRateMeasurement = Self(0x2A37, .heartRate)

    /// Body Sensor Location, `2A38`.
    public static let bodySensorLocation = Self(0x2A38, .heartRate)

    /// Heart Rate Control Point, `2A39`.
    public static let heartRateControlPoint = Self(0x2A39, .heartRate)

    // MARK: Blood Pressure

    /// Blood Pressure Measurement, `2A35`.
    public static let bloodPressureMeasurement = Self(0x2A35, .bloodPressure)

    /// Intermediate Cuff Pressure, `2A36`.
    public static let intermediateCuffPressure = Self(0x2A36, .bloodPressure)

    /// Blood Pressure Feature, `2A49`.
    public static let bloodPressureFeature = Self(0x2A49, .bloodPressure)

    /// Record Access Control Point, `2A52`.
    public static let bloodPressureRecordAccessControlPoint = Self(0x2A52, .bloodPressure)

    /// Enhanced Blood Pressure Measurement, `2B34`.
    public static let enhancedBloodPressureMeasurement = Self(0x2B34, .bloodPressure)

    /// Enhanced Intermediate Cuff Pressure, `2B35`.
    public static let enhancedIntermediateCuffPressure = Self(0x2B35, .bloodPressure)

    /// Blood Pressure Record, `2B36`.
    public static let bloodPressureRecord = Self(0x2B36, .bloodPressure)

    // MARK: Body Composition

    /// Body Composition Feature, `2A9B`.
    public static let bodyCompositionFeature = Self(0x2A9B, .bodyComposition)

    /// Body Composition Measurement, `2A9C`.
    public static let bodyCompositionMeasurement = Self(0x2A9C, .bodyComposition)

    // MARK: Weight Scale

    /// Weight Measurement, `2A9D`.
    public static let weightMeasurement = Self(0x2A9D, .weightScale)

    /// Weight Scale Feature, `2A9E`.
    public static let weightScaleFeature = Self(0x2A9E, .weightScale)

    // MARK: Continuous Glucose Monitoring

    /// Record Access Control Point, `2A52`.
    public static let cgmRecordAccessControlPoint = Self(0x2A52, .continuousGlucoseMonitoring)

    /// CGM Measurement, `2AA7`.
    public static let cgmMeasurement = Self(0x2AA7, .continuousGlucoseMonitoring)

    /// CGM Feature, `2AA8`.
    public static let cgmFeature = Self(0x2AA8, .continuousGlucoseMonitoring)

    /// CGM Status, `2AA9`.
    public static let cgmStatus = Self(0x2AA9, .continuousGlucoseMonitoring)

    /// CGM Session Start Time, `2AAA`.
    public static let cgmSessionStartTime = Self(0x2AAA, .continuousGlucoseMonitoring)

    /// CGM Session Run Time, `2AAB`.
    public static let cgmSessionRunTime = Self(0x2AAB, .continuousGlucoseMonitoring)

    /// CGM Specific Ops Control Point, `2AAC`.
    public static let cgmSpecificOpsControlPoint = Self(0x2AAC, .continuousGlucoseMonitoring)

    // MARK: Pulse Oximeter

    /// Record Access Control Point, `2A52`.
    public static let plxRecordAccessControlPoint = Self(0x2A52, .pulseOximeter)

    /// PLX Spot-Check Measurement, `2A5E`.
    public static let plxSpotCheckMeasurement = Self(0x2A5E, .pulseOximeter)

    /// PLX Continuous Measurement, `2A5F`.
    public static let plxContinuousMeasurement = Self(0x2A5F, .pulseOximeter)

    /// PLX Features, `2A60`.
    public static let plxFeatures = Self(0x2A60, .pulseOximeter)
}
