extension CharacteristicIdentifier {
    // MARK: Environmental Sensing

    /// Descriptor Value Changed, `2A7D`.
    public static let descriptorValueChanged = Self(0x2A7D, .environmentalSensing)

    /// Magnetic Declination, `2A2C`.
    public static let magneticDeclination = Self(0x2A2C, .environmentalSensing)

    /// Elevation, `2A6C`.
    public static let elevation = Self(0x2A6C, .environmentalSensing)

    /// Pressure, `2A6D`.
    public static let pressure = Self(0x2A6D, .environmentalSensing)

    /// Temperature, `2A6E`.
    public static let temperature = Self(0x2A6E, .environmentalSensing)

    /// Humidity, `2A6F`.
    public static let humidity = Self(0x2A6F, .environmentalSensing)

    /// True Wind Speed, `2A70`.
    public static let trueWindSpeed = Self(0x2A70, .environmentalSensing)

    /// True Wind Direction, `2A71`.
    public static let trueWindDirection = Self(0x2A71, .environmentalSensing)

    /// Apparent Wind Speed, `2A72`.
    public static let apparentWindSpeed = Self(0x2A72, .environmentalSensing)

    /// Apparent Wind Direction, `2A73`.
    public static let apparentWindDirection = Self(0x2A73, .environmentalSensing)

    /// Gust Factor, `2A74`.
    public static let gustFactor = Self(0x2A74, .environmentalSensing)

    /// Pollen Concentration, `2A75`.
    public static let pollenConcentration = Self(0x2A75, .environmentalSensing)

    /// UV Index, `2A76`.
    public static let uvIndex = Self(0x2A76, .environmentalSensing)

    /// Irradiance, `2A77`.
    public static let irradiance = Self(0x2A77, .environmentalSensing)

    /// Rainfall, `2A78`.
    public static let rainfall = Self(0x2A78, .environmentalSensing)

    /// Wind Chill, `2A79`.
    public static let windChill = Self(0x2A79, .environmentalSensing)

    /// Heat Index, `2A7A`.
    public static let heatIndex = Self(0x2A7A, .environmentalSensing)

    /// Dew Point, `2A7B`.
    public static let dewPoint = Self(0x2A7B, .environmentalSensing)

    /// Magnetic Flux Density - 2D, `2AA0`.
    public static let magneticFluxDensity2D = Self(0x2AA0, .environmentalSensing)

    /// Magnetic Flux Density - 3D, `2AA1`.
    public static let magneticFluxDensity3D = Self(0x2AA1, .environmentalSensing)

    /// Barometric Pressure Trend, `2AA3`.
    public static let barometricPressureTrend = Self(0x2AA3, .environmentalSensing)

    /// Ammonia Concentration, `2BCF`.
    public static let ammoniaConcentration = Self(0x2BCF, .environmentalSensing)

    /// Carbon Monoxide Concentration, `2BD0`.
    public static let carbonMonoxideConcentration = Self(0x2BD0, .environmentalSensing)

    /// Methane Concentration, `2BD1`.
    public static let methaneConcentration = Self(0x2BD1, .environmentalSensing)

    /// Nitrogen Dioxide Concentration, `2BD2`.
    public static let nitrogenDioxideConcentration = Self(0x2BD2, .environmentalSensing)

    /// Non-Methane Volatile Organic Compounds Concentration, `2BD3`.
    public static let nonMethaneVolatileOrganicCompoundsConcentration = Self(
        0x2BD3,
        .environmentalSensing
    )

    /// Ozone Concentration, `2BD4`.
    public static let ozoneConcentration = Self(0x2BD4, .environmentalSensing)

    /// Particulate Matter - PM1 Concentration, `2BD5`.
    public static let particulateMatterPM1Concentration = Self(0x2BD5, .environmentalSensing)

    /// Particulate Matter - PM2.5 Concentration, `2BD6`.
    public static let particulateMatterPM25Concentration = Self(0x2BD6, .environmentalSensing)

    /// Particulate Matter - PM10 Concentration, `2BD7`.
    public static let particulateMatterPM10Concentration = Self(0x2BD7, .environmentalSensing)

    /// Sulfur Dioxide Concentration, `2BD8`.
    public static let sulfurDioxideConcentration = Self(0x2BD8, .environmentalSensing)

    /// Sulfur Hexafluoride Concentration, `2BD9`.
    public static let sulfurHexafluorideConcentration = Self(0x2BD9, .environmentalSensing)
}
