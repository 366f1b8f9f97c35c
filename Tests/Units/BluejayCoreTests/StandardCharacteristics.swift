import BluejayCore

/// The expected value of every static identifier of a characteristic.
///
/// The numbers and names are repeated here, so that a mistake in either place is detected. They are those of
/// bleak 3.1.0, except for the names of `2A2A`, `2A5F`, `2A93` and `2A95`.
enum StandardCharacteristics {
    typealias Row = (
        identifier: CharacteristicIdentifier, service: ServiceIdentifier, number: UInt16,
        name: String
    )

    static let all: [Row] = general + health + sports + environment + userData

    private static let general: [Row] = [
        (.deviceName, .genericAccess, 0x2A00, "Device Name"),
        (.appearance, .genericAccess, 0x2A01, "Appearance"),
        (.peripheralPrivacyFlag, .genericAccess, 0x2A02, "Peripheral Privacy Flag"),
        (.reconnectionAddress, .genericAccess, 0x2A03, "Reconnection Address"),
        (
            .peripheralPreferredConnectionParameters, .genericAccess, 0x2A04,
            "Peripheral Preferred Connection Parameters"
        ),
        (.centralAddressResolution, .genericAccess, 0x2AA6, "Central Address Resolution"),
        (.resolvablePrivateAddressOnly, .genericAccess, 0x2AC9, "Resolvable Private Address Only"),
        (.encryptedDataKeyMaterial, .genericAccess, 0x2B88, "Encrypted Data Key Material"),
        (.leGATTSecurityLevels, .genericAccess, 0x2BF5, "LE GATT Security Levels"),
        (.serviceChanged, .genericAttribute, 0x2A05, "Service Changed"),
        (.clientSupportedFeatures, .genericAttribute, 0x2B29, "Client Supported Features"),
        (.databaseHash, .genericAttribute, 0x2B2A, "Database Hash"),
        (.serverSupportedFeatures, .genericAttribute, 0x2B3A, "Server Supported Features"),
        (.immediateAlertLevel, .immediateAlert, 0x2A06, "Alert Level"),
        (.linkLossAlertLevel, .linkLoss, 0x2A06, "Alert Level"),
        (.txPowerLevel, .txPower, 0x2A07, "Tx Power Level"),
        (.currentTime, .currentTime, 0x2A2B, "Current Time"),
        (.localTimeInformation, .currentTime, 0x2A0F, "Local Time Information"),
        (.referenceTimeInformation, .currentTime, 0x2A14, "Reference Time Information"),
        (.systemID, .deviceInformation, 0x2A23, "System ID"),
        (.modelNumberString, .deviceInformation, 0x2A24, "Model Number String"),
        (.serialNumberString, .deviceInformation, 0x2A25, "Serial Number String"),
        (.firmwareRevisionString, .deviceInformation, 0x2A26, "Firmware Revision String"),
        (.hardwareRevisionString, .deviceInformation, 0x2A27, "Hardware Revision String"),
        (.softwareRevisionString, .deviceInformation, 0x2A28, "Software Revision String"),
        (.manufacturerNameString, .deviceInformation, 0x2A29, "Manufacturer Name String"),
        (
            .regulatoryCertificationDataList, .deviceInformation, 0x2A2A,
            "IEEE 11073-20601 Regulatory Certification Data List"
        ),
        (.pnpID, .deviceInformation, 0x2A50, "PnP ID"),
        (.udiForMedicalDevices, .deviceInformation, 0x2BFF, "UDI for Medical Devices"),
        (.batteryLevel, .battery, 0x2A19, "Battery Level"),
        (.batteryCriticalStatus, .battery, 0x2BE9, "Battery Critical Status"),
        (.batteryHealthStatus, .battery, 0x2BEA, "Battery Health Status"),
        (.batteryHealthInformation, .battery, 0x2BEB, "Battery Health Information"),
        (.batteryInformation, .battery, 0x2BEC, "Battery Information"),
        (.batteryLevelStatus, .battery, 0x2BED, "Battery Level Status"),
        (.batteryTimeStatus, .battery, 0x2BEE, "Battery Time Status"),
        (.estimatedServiceDate, .battery, 0x2BEF, "Estimated Service Date"),
        (.batteryEnergyStatus, .battery, 0x2BF0, "Battery Energy Status"),
        (.bootKeyboardInputReport, .humanInterfaceDevice, 0x2A22, "Boot Keyboard Input Report"),
        (.bootKeyboardOutputReport, .humanInterfaceDevice, 0x2A32, "Boot Keyboard Output Report"),
        (.bootMouseInputReport, .humanInterfaceDevice, 0x2A33, "Boot Mouse Input Report"),
        (.hidInformation, .humanInterfaceDevice, 0x2A4A, "HID Information"),
        (.hidReportMap, .humanInterfaceDevice, 0x2A4B, "Report Map"),
        (.hidControlPoint, .humanInterfaceDevice, 0x2A4C, "HID Control Point"),
        (.hidReport, .humanInterfaceDevice, 0x2A4D, "Report"),
        (.hidProtocolMode, .humanInterfaceDevice, 0x2A4E, "Protocol Mode"),
        (.automationIODigital, .automationIO, 0x2A56, "Digital"),
        (.automationIOAnalog, .automationIO, 0x2A58, "Analog"),
        (.automationIOAggregate, .automationIO, 0x2A5A, "Aggregate"),
    ]

    private static let health: [Row] = [
        (.glucoseMeasurement, .glucose, 0x2A18, "Glucose Measurement"),
        (.glucoseMeasurementContext, .glucose, 0x2A34, "Glucose Measurement Context"),
        (.glucoseFeature, .glucose, 0x2A51, "Glucose Feature"),
        (.glucoseRecordAccessControlPoint, .glucose, 0x2A52, "Record Access Control Point"),
        (.temperatureMeasurement, .healthThermometer, 0x2A1C, "Temperature Measurement"),
        (.temperatureType, .healthThermometer, 0x2A1D, "Temperature Type"),
        (.intermediateTemperature, .healthThermometer, 0x2A1E, "Intermediate Temperature"),
        (.measurementInterval, .healthThermometer, 0x2A21, "Measurement Interval"),
        (.heartRateMeasurement, .heartRate, 0x2A37, "Heart Rate Measurement"),
        (.bodySensorLocation, .heartRate, 0x2A38, "Body Sensor Location"),
        (.heartRateControlPoint, .heartRate, 0x2A39, "Heart Rate Control Point"),
        (.bloodPressureMeasurement, .bloodPressure, 0x2A35, "Blood Pressure Measurement"),
        (.intermediateCuffPressure, .bloodPressure, 0x2A36, "Intermediate Cuff Pressure"),
        (.bloodPressureFeature, .bloodPressure, 0x2A49, "Blood Pressure Feature"),
        (
            .bloodPressureRecordAccessControlPoint, .bloodPressure, 0x2A52,
            "Record Access Control Point"
        ),
        (
            .enhancedBloodPressureMeasurement, .bloodPressure, 0x2B34,
            "Enhanced Blood Pressure Measurement"
        ),
        (
            .enhancedIntermediateCuffPressure, .bloodPressure, 0x2B35,
            "Enhanced Intermediate Cuff Pressure"
        ),
        (.bloodPressureRecord, .bloodPressure, 0x2B36, "Blood Pressure Record"),
        (.bodyCompositionFeature, .bodyComposition, 0x2A9B, "Body Composition Feature"),
        (.bodyCompositionMeasurement, .bodyComposition, 0x2A9C, "Body Composition Measurement"),
        (.weightMeasurement, .weightScale, 0x2A9D, "Weight Measurement"),
        (.weightScaleFeature, .weightScale, 0x2A9E, "Weight Scale Feature"),
        (
            .cgmRecordAccessControlPoint, .continuousGlucoseMonitoring, 0x2A52,
            "Record Access Control Point"
        ),
        (.cgmMeasurement, .continuousGlucoseMonitoring, 0x2AA7, "CGM Measurement"),
        (.cgmFeature, .continuousGlucoseMonitoring, 0x2AA8, "CGM Feature"),
        (.cgmStatus, .continuousGlucoseMonitoring, 0x2AA9, "CGM Status"),
        (.cgmSessionStartTime, .continuousGlucoseMonitoring, 0x2AAA, "CGM Session Start Time"),
        (.cgmSessionRunTime, .continuousGlucoseMonitoring, 0x2AAB, "CGM Session Run Time"),
        (
            .cgmSpecificOpsControlPoint, .continuousGlucoseMonitoring, 0x2AAC,
            "CGM Specific Ops Control Point"
        ),
        (.plxRecordAccessControlPoint, .pulseOximeter, 0x2A52, "Record Access Control Point"),
        (.plxSpotCheckMeasurement, .pulseOximeter, 0x2A5E, "PLX Spot-Check Measurement"),
        (.plxContinuousMeasurement, .pulseOximeter, 0x2A5F, "PLX Continuous Measurement"),
        (.plxFeatures, .pulseOximeter, 0x2A60, "PLX Features"),
    ]

    private static let sports: [Row] = [
        (.rscMeasurement, .runningSpeedAndCadence, 0x2A53, "RSC Measurement"),
        (.rscFeature, .runningSpeedAndCadence, 0x2A54, "RSC Feature"),
        (.rscControlPoint, .runningSpeedAndCadence, 0x2A55, "SC Control Point"),
        (.rscSensorLocation, .runningSpeedAndCadence, 0x2A5D, "Sensor Location"),
        (.cscControlPoint, .cyclingSpeedAndCadence, 0x2A55, "SC Control Point"),
        (.cscMeasurement, .cyclingSpeedAndCadence, 0x2A5B, "CSC Measurement"),
        (.cscFeature, .cyclingSpeedAndCadence, 0x2A5C, "CSC Feature"),
        (.cscSensorLocation, .cyclingSpeedAndCadence, 0x2A5D, "Sensor Location"),
        (.cyclingPowerSensorLocation, .cyclingPower, 0x2A5D, "Sensor Location"),
        (.cyclingPowerMeasurement, .cyclingPower, 0x2A63, "Cycling Power Measurement"),
        (.cyclingPowerVector, .cyclingPower, 0x2A64, "Cycling Power Vector"),
        (.cyclingPowerFeature, .cyclingPower, 0x2A65, "Cycling Power Feature"),
        (.cyclingPowerControlPoint, .cyclingPower, 0x2A66, "Cycling Power Control Point"),
        (.locationAndSpeed, .locationAndNavigation, 0x2A67, "Location and Speed"),
        (.navigation, .locationAndNavigation, 0x2A68, "Navigation"),
        (.positionQuality, .locationAndNavigation, 0x2A69, "Position Quality"),
        (.lnFeature, .locationAndNavigation, 0x2A6A, "LN Feature"),
        (.lnControlPoint, .locationAndNavigation, 0x2A6B, "LN Control Point"),
        (.fitnessMachineFeature, .fitnessMachine, 0x2ACC, "Fitness Machine Feature"),
        (.treadmillData, .fitnessMachine, 0x2ACD, "Treadmill Data"),
        (.crossTrainerData, .fitnessMachine, 0x2ACE, "Cross Trainer Data"),
        (.stepClimberData, .fitnessMachine, 0x2ACF, "Step Climber Data"),
        (.stairClimberData, .fitnessMachine, 0x2AD0, "Stair Climber Data"),
        (.rowerData, .fitnessMachine, 0x2AD1, "Rower Data"),
        (.indoorBikeData, .fitnessMachine, 0x2AD2, "Indoor Bike Data"),
        (.trainingStatus, .fitnessMachine, 0x2AD3, "Training Status"),
        (.supportedSpeedRange, .fitnessMachine, 0x2AD4, "Supported Speed Range"),
        (.supportedInclinationRange, .fitnessMachine, 0x2AD5, "Supported Inclination Range"),
        (
            .supportedResistanceLevelRange, .fitnessMachine, 0x2AD6,
            "Supported Resistance Level Range"
        ),
        (.supportedHeartRateRange, .fitnessMachine, 0x2AD7, "Supported Heart Rate Range"),
        (.supportedPowerRange, .fitnessMachine, 0x2AD8, "Supported Power Range"),
        (.fitnessMachineControlPoint, .fitnessMachine, 0x2AD9, "Fitness Machine Control Point"),
        (.fitnessMachineStatus, .fitnessMachine, 0x2ADA, "Fitness Machine Status"),
    ]

    private static let environment: [Row] = [
        (.descriptorValueChanged, .environmentalSensing, 0x2A7D, "Descriptor Value Changed"),
        (.magneticDeclination, .environmentalSensing, 0x2A2C, "Magnetic Declination"),
        (.elevation, .environmentalSensing, 0x2A6C, "Elevation"),
        (.pressure, .environmentalSensing, 0x2A6D, "Pressure"),
        (.temperature, .environmentalSensing, 0x2A6E, "Temperature"),
        (.humidity, .environmentalSensing, 0x2A6F, "Humidity"),
        (.trueWindSpeed, .environmentalSensing, 0x2A70, "True Wind Speed"),
        (.trueWindDirection, .environmentalSensing, 0x2A71, "True Wind Direction"),
        (.apparentWindSpeed, .environmentalSensing, 0x2A72, "Apparent Wind Speed"),
        (.apparentWindDirection, .environmentalSensing, 0x2A73, "Apparent Wind Direction"),
        (.gustFactor, .environmentalSensing, 0x2A74, "Gust Factor"),
        (.pollenConcentration, .environmentalSensing, 0x2A75, "Pollen Concentration"),
        (.uvIndex, .environmentalSensing, 0x2A76, "UV Index"),
        (.irradiance, .environmentalSensing, 0x2A77, "Irradiance"),
        (.rainfall, .environmentalSensing, 0x2A78, "Rainfall"),
        (.windChill, .environmentalSensing, 0x2A79, "Wind Chill"),
        (.heatIndex, .environmentalSensing, 0x2A7A, "Heat Index"),
        (.dewPoint, .environmentalSensing, 0x2A7B, "Dew Point"),
        (.magneticFluxDensity2D, .environmentalSensing, 0x2AA0, "Magnetic Flux Density - 2D"),
        (.magneticFluxDensity3D, .environmentalSensing, 0x2AA1, "Magnetic Flux Density - 3D"),
        (.barometricPressureTrend, .environmentalSensing, 0x2AA3, "Barometric Pressure Trend"),
        (.ammoniaConcentration, .environmentalSensing, 0x2BCF, "Ammonia Concentration"),
        (
            .carbonMonoxideConcentration, .environmentalSensing, 0x2BD0,
            "Carbon Monoxide Concentration"
        ),
        (.methaneConcentration, .environmentalSensing, 0x2BD1, "Methane Concentration"),
        (
            .nitrogenDioxideConcentration, .environmentalSensing, 0x2BD2,
            "Nitrogen Dioxide Concentration"
        ),
        (
            .nonMethaneVolatileOrganicCompoundsConcentration, .environmentalSensing, 0x2BD3,
            "Non-Methane Volatile Organic Compounds Concentration"
        ),
        (.ozoneConcentration, .environmentalSensing, 0x2BD4, "Ozone Concentration"),
        (
            .particulateMatterPM1Concentration, .environmentalSensing, 0x2BD5,
            "Particulate Matter - PM1 Concentration"
        ),
        (
            .particulateMatterPM25Concentration, .environmentalSensing, 0x2BD6,
            "Particulate Matter - PM2.5 Concentration"
        ),
        (
            .particulateMatterPM10Concentration, .environmentalSensing, 0x2BD7,
            "Particulate Matter - PM10 Concentration"
        ),
        (
            .sulfurDioxideConcentration, .environmentalSensing, 0x2BD8,
            "Sulfur Dioxide Concentration"
        ),
        (
            .sulfurHexafluorideConcentration, .environmentalSensing, 0x2BD9,
            "Sulfur Hexafluoride Concentration"
        ),
    ]

    private static let userData: [Row] = [
        (.databaseChangeIncrement, .userData, 0x2A99, "Database Change Increment"),
        (.userIndex, .userData, 0x2A9A, "User Index"),
        (.userControlPoint, .userData, 0x2A9F, "User Control Point"),
        (.registeredUser, .userData, 0x2B37, "Registered User"),
        (.aerobicHeartRateLowerLimit, .userData, 0x2A7E, "Aerobic Heart Rate Lower Limit"),
        (.aerobicThreshold, .userData, 0x2A7F, "Aerobic Threshold"),
        (.age, .userData, 0x2A80, "Age"),
        (.anaerobicHeartRateLowerLimit, .userData, 0x2A81, "Anaerobic Heart Rate Lower Limit"),
        (.anaerobicHeartRateUpperLimit, .userData, 0x2A82, "Anaerobic Heart Rate Upper Limit"),
        (.anaerobicThreshold, .userData, 0x2A83, "Anaerobic Threshold"),
        (.aerobicHeartRateUpperLimit, .userData, 0x2A84, "Aerobic Heart Rate Upper Limit"),
        (.dateOfBirth, .userData, 0x2A85, "Date of Birth"),
        (.dateOfThresholdAssessment, .userData, 0x2A86, "Date of Threshold Assessment"),
        (.emailAddress, .userData, 0x2A87, "Email Address"),
        (.fatBurnHeartRateLowerLimit, .userData, 0x2A88, "Fat Burn Heart Rate Lower Limit"),
        (.fatBurnHeartRateUpperLimit, .userData, 0x2A89, "Fat Burn Heart Rate Upper Limit"),
        (.firstName, .userData, 0x2A8A, "First Name"),
        (.fiveZoneHeartRateLimits, .userData, 0x2A8B, "Five Zone Heart Rate Limits"),
        (.gender, .userData, 0x2A8C, "Gender"),
        (.heartRateMax, .userData, 0x2A8D, "Heart Rate Max"),
        (.height, .userData, 0x2A8E, "Height"),
        (.hipCircumference, .userData, 0x2A8F, "Hip Circumference"),
        (.lastName, .userData, 0x2A90, "Last Name"),
        (.maximumRecommendedHeartRate, .userData, 0x2A91, "Maximum Recommended Heart Rate"),
        (.restingHeartRate, .userData, 0x2A92, "Resting Heart Rate"),
        (
            .sportTypeForAerobicAndAnaerobicThresholds, .userData, 0x2A93,
            "Sport Type for Aerobic and Anaerobic Thresholds"
        ),
        (.threeZoneHeartRateLimits, .userData, 0x2A94, "Three Zone Heart Rate Limits"),
        (.twoZoneHeartRateLimits, .userData, 0x2A95, "Two Zone Heart Rate Limits"),
        (.vo2Max, .userData, 0x2A96, "VO2 Max"),
        (.waistCircumference, .userData, 0x2A97, "Waist Circumference"),
        (.weight, .userData, 0x2A98, "Weight"),
        (.language, .userData, 0x2AA2, "Language"),
        (.preferredUnits, .userData, 0x2B46, "Preferred Units"),
        (.highResolutionHeight, .userData, 0x2B47, "High Resolution Height"),
        (.middleName, .userData, 0x2B48, "Middle Name"),
        (.strideLength, .userData, 0x2B49, "Stride Length"),
        (.handedness, .userData, 0x2B4A, "Handedness"),
        (.deviceWearingPosition, .userData, 0x2B4B, "Device Wearing Position"),
        (.fourZoneHeartRateLimits, .userData, 0x2B4C, "Four Zone Heart Rate Limits"),
        (.highIntensityExerciseThreshold, .userData, 0x2B4D, "High Intensity Exercise Threshold"),
        (.activityGoal, .userData, 0x2B4E, "Activity Goal"),
        (.sedentaryIntervalNotification, .userData, 0x2B4F, "Sedentary Interval Notification"),
        (.caloricIntake, .userData, 0x2B50, "Caloric Intake"),
    ]
}
