extension ServiceIdentifier {
    /// Generic Access, `1800`.
    public static let genericAccess = Self(uuid: BluetoothUUID(uint16: 0x1800))

    /// Generic Attribute, `1801`.
    public static let genericAttribute = Self(uuid: BluetoothUUID(uint16: 0x1801))

    /// Immediate Alert, `1802`.
    public static let immediateAlert = Self(uuid: BluetoothUUID(uint16: 0x1802))

    /// Link Loss, `1803`.
    public static let linkLoss = Self(uuid: BluetoothUUID(uint16: 0x1803))

    /// Tx Power, `1804`.
    public static let txPower = Self(uuid: BluetoothUUID(uint16: 0x1804))

    /// Current Time, `1805`.
    public static let currentTime = Self(uuid: BluetoothUUID(uint16: 0x1805))

    /// Glucose, `1808`.
    public static let glucose = Self(uuid: BluetoothUUID(uint16: 0x1808))

    /// Health Thermometer, `1809`.
    public static let healthThermometer = Self(uuid: BluetoothUUID(uint16: 0x1809))

    /// Device Information, `180A`.
    public static let deviceInformation = Self(uuid: BluetoothUUID(uint16: 0x180A))

    /// Heart Rate, `180D`.
    public static let heartRate = Self(uuid: BluetoothUUID(uint16: 0x180D))

    /// Battery, `180F`.
    public static let battery = Self(uuid: BluetoothUUID(uint16: 0x180F))

    /// Blood Pressure, `1810`.
    public static let bloodPressure = Self(uuid: BluetoothUUID(uint16: 0x1810))

    /// Human Interface Device, `1812`.
    public static let humanInterfaceDevice = Self(uuid: BluetoothUUID(uint16: 0x1812))

    /// Running Speed and Cadence, `1814`.
    public static let runningSpeedAndCadence = Self(uuid: BluetoothUUID(uint16: 0x1814))

    /// Automation IO, `1815`.
    public static let automationIO = Self(uuid: BluetoothUUID(uint16: 0x1815))

    /// Cycling Speed and Cadence, `1816`.
    public static let cyclingSpeedAndCadence = Self(uuid: BluetoothUUID(uint16: 0x1816))

    /// Cycling Power, `1818`.
    public static let cyclingPower = Self(uuid: BluetoothUUID(uint16: 0x1818))

    /// Location and Navigation, `1819`.
    public static let locationAndNavigation = Self(uuid: BluetoothUUID(uint16: 0x1819))

    /// Environmental Sensing, `181A`.
    public static let environmentalSensing = Self(uuid: BluetoothUUID(uint16: 0x181A))

    /// Body Composition, `181B`.
    public static let bodyComposition = Self(uuid: BluetoothUUID(uint16: 0x181B))

    /// User Data, `181C`.
    public static let userData = Self(uuid: BluetoothUUID(uint16: 0x181C))

    /// Weight Scale, `181D`.
    public static let weightScale = Self(uuid: BluetoothUUID(uint16: 0x181D))

    /// Continuous Glucose Monitoring, `181F`.
    public static let continuousGlucoseMonitoring = Self(uuid: BluetoothUUID(uint16: 0x181F))

    /// Pulse Oximeter, `1822`.
    public static let pulseOximeter = Self(uuid: BluetoothUUID(uint16: 0x1822))

    /// Fitness Machine, `1826`.
    public static let fitnessMachine = Self(uuid: BluetoothUUID(uint16: 0x1826))
}
