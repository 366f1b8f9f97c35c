extension CharacteristicIdentifier {
    // MARK: User Data

    /// Database Change Increment, `2A99`.
    public static let databaseChangeIncrement = Self(0x2A99, .userData)

    /// User Index, `2A9A`.
    public static let userIndex = Self(0x2A9A, .userData)

    /// User Control Point, `2A9F`.
    public static let userControlPoint = Self(0x2A9F, .userData)

    /// Registered User, `2B37`.
    public static let registeredUser = Self(0x2B37, .userData)

    /// Aerobic Heart Rate Lower Limit, `2A7E`.
    public static let aerobicHeartRateLowerLimit = Self(0x2A7E, .userData)

    /// Aerobic Threshold, `2A7F`.
    public static let aerobicThreshold = Self(0x2A7F, .userData)

    /// Age, `2A80`.
    public static let age = Self(0x2A80, .userData)

    /// Anaerobic Heart Rate Lower Limit, `2A81`.
    public static let anaerobicHeartRateLowerLimit = Self(0x2A81, .userData)

    /// Anaerobic Heart Rate Upper Limit, `2A82`.
    public static let anaerobicHeartRateUpperLimit = Self(0x2A82, .userData)

    /// Anaerobic Threshold, `2A83`.
    public static let anaerobicThreshold = Self(0x2A83, .userData)

    /// Aerobic Heart Rate Upper Limit, `2A84`.
    public static let aerobicHeartRateUpperLimit = Self(0x2A84, .userData)

    /// Date of Birth, `2A85`.
    public static let dateOfBirth = Self(0x2A85, .userData)

    /// Date of Threshold Assessment, `2A86`.
    public static let dateOfThresholdAssessment = Self(0x2A86, .userData)

    /// Email Address, `2A87`.
    public static let emailAddress = Self(0x2A87, .userData)

    /// Fat Burn Heart Rate Lower Limit, `2A88`.
    public static let fatBurnHeartRateLowerLimit = Self(0x2A88, .userData)

    /// Fat Burn Heart Rate Upper Limit, `2A89`.
    public static let fatBurnHeartRateUpperLimit = Self(0x2A89, .userData)

    /// First Name, `2A8A`.
    public static let firstName = Self(0x2A8A, .userData)

    /// Five Zone Heart Rate Limits, `2A8B`.
    public static let fiveZoneHeartRateLimits = Self(0x2A8B, .userData)

    /// Gender, `2A8C`.
    public static let gender = Self(0x2A8C, .userData)

    /// Heart Rate Max, `2A8D`.
    public static let heartRateMax = Self(0x2A8D, .userData)

    /// Height, `2A8E`.
    public static let height = Self(0x2A8E, .userData)

    /// Hip Circumference, `2A8F`.
    public static let hipCircumference = Self(0x2A8F, .userData)

    /// Last Name, `2A90`.
    public static let lastName = Self(0x2A90, .userData)

    /// Maximum Recommended Heart Rate, `2A91`.
    public static let maximumRecommendedHeartRate = Self(0x2A91, .userData)

    /// Resting Heart Rate, `2A92`.
    public static let restingHeartRate = Self(0x2A92, .userData)

    /// Sport Type for Aerobic and Anaerobic Thresholds, `2A93`.
    public static let sportTypeForAerobicAndAnaerobicThresholds = Self(0x2A93, .userData)

    /// Three Zone Heart Rate Limits, `2A94`.
    public static let threeZoneHeartRateLimits = Self(0x2A94, .userData)

    /// Two Zone Heart Rate Limits, `2A95`.
    public static let twoZoneHeartRateLimits = Self(0x2A95, .userData)

    /// VO2 Max, `2A96`.
    public static let vo2Max = Self(0x2A96, .userData)

    /// Waist Circumference, `2A97`.
    public static let waistCircumference = Self(0x2A97, .userData)

    /// Weight, `2A98`.
    public static let weight = Self(0x2A98, .userData)

    /// Language, `2AA2`.
    public static let language = Self(0x2AA2, .userData)

    /// Preferred Units, `2B46`.
    public static let preferredUnits = Self(0x2B46, .userData)

    /// High Resolution Height, `2B47`.
    public static let highResolutionHeight = Self(0x2B47, .userData)

    /// Middle Name, `2B48`.
    public static let middleName = Self(0x2B48, .userData)

    /// Stride Length, `2B49`.
    public static let strideLength = Self(0x2B49, .userData)

    /// Handedness, `2B4A`.
    public static let handedness = Self(0x2B4A, .userData)

    /// Device Wearing Position, `2B4B`.
    public static let deviceWearingPosition = Self(0x2B4B, .userData)

    /// Four Zone Heart Rate Limits, `2B4C`.
    public static let fourZoneHeartRateLimits = Self(0x2B4C, .userData)

    /// High Intensity Exercise Threshold, `2B4D`.
    public static let highIntensityExerciseThreshold = Self(0x2B4D, .userData)

    /// Activity Goal, `2B4E`.
    public static let activityGoal = Self(0x2B4E, .userData)

    /// Sedentary Interval Notification, `2B4F`.
    public static let sedentaryIntervalNotification = Self(0x2B4F, .userData)

    /// Caloric Intake, `2B50`.
    public static let caloricIntake = Self(0x2B50, .userData)
}
