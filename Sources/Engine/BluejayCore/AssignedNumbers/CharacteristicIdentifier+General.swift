extension CharacteristicIdentifier {
    // MARK: Generic Access

    /// Device Name, `2A00`.
    public static let deviceName = Self(0x2A00, .genericAccess)

    /// Appearance, `2A01`.
    public static let appearance = Self(0x2A01, .genericAccess)

    /// Peripheral Privacy Flag, `2A02`.
    public static let peripheralPrivacyFlag = Self(0x2A02, .genericAccess)

    /// Reconnection Address, `2A03`.
    public static let reconnectionAddress = Self(0x2A03, .genericAccess)

    /// Peripheral Preferred Connection Parameters, `2A04`.
    public static let peripheralPreferredConnectionParameters = Self(0x2A04, .genericAccess)

    /// Central Address Resolution, `2AA6`.
    public static let centralAddressResolution = Self(0x2AA6, .genericAccess)

    /// Resolvable Private Address Only, `2AC9`.
    public static let resolvablePrivateAddressOnly = Self(0x2AC9, .genericAccess)

    /// Encrypted Data Key Material, `2B88`.
    public static let encryptedDataKeyMaterial = Self(0x2B88, .genericAccess)

    /// LE GATT Security Levels, `2BF5`.
    public static let leGATTSecurityLevels = Self(0x2BF5, .genericAccess)

    // MARK: Generic Attribute

    /// Service Changed, `2A05`.
    public static let serviceChanged = Self(0x2A05, .genericAttribute)

    /// Client Supported Features, `2B29`.
    public static let clientSupportedFeatures = Self(0x2B29, .genericAttribute)

    /// Database Hash, `2B2A`.
    public static let databaseHash = Self(0x2B2A, .genericAttribute)

    /// Server Supported Features, `2B3A`.
    public static let serverSupportedFeatures = Self(0x2B3A, .genericAttribute)

    // MARK: Immediate Alert

    /// Alert Level, `2A06`.
    public static let immediateAlertLevel = Self(0x2A06, .immediateAlert)

    // MARK: Link Loss

    /// Alert Level, `2A06`.
    public static let linkLossAlertLevel = Self(0x2A06, .linkLoss)

    // MARK: Tx Power

    /// Tx Power Level, `2A07`.
    public static let txPowerLevel = Self(0x2A07, .txPower)

    // MARK: Current Time

    /// Current Time, `2A2B`.
    public static let currentTime = Self(0x2A2B, .currentTime)

    /// Local Time Information, `2A0F`.
    public static let localTimeInformation = Self(0x2A0F, .currentTime)

    /// Reference Time Information, `2A14`.
    public static let referenceTimeInformation = Self(0x2A14, .currentTime)

    // MARK: Device Information

    /// System ID, `2A23`.
    public static let systemID = Self(0x2A23, .deviceInformation)

    /// Model Number String, `2A24`.
    public static let modelNumberString = Self(0x2A24, .deviceInformation)

    /// Serial Number String, `2A25`.
    public static let serialNumberString = Self(0x2A25, .deviceInformation)

    /// Firmware Revision String, `2A26`.
    public static let firmwareRevisionString = Self(0x2A26, .deviceInformation)

    /// Hardware Revision String, `2A27`.
    public static let hardwareRevisionString = Self(0x2A27, .deviceInformation)

    /// Software Revision String, `2A28`.
    public static let softwareRevisionString = Self(0x2A28, .deviceInformation)

    /// Manufacturer Name String, `2A29`.
    public static let manufacturerNameString = Self(0x2A29, .deviceInformation)

    /// IEEE 11073-20601 Regulatory Certification Data List, `2A2A`.
    public static let regulatoryCertificationDataList = Self(0x2A2A, .deviceInformation)

    /// PnP ID, `2A50`.
    public static let pnpID = Self(0x2A50, .deviceInformation)

    /// UDI for Medical Devices, `2BFF`.
    public static let udiForMedicalDevices = Self(0x2BFF, .deviceInformation)

    // MARK: Battery

    /// Battery Level, `2A19`.
    public static let batteryLevel = Self(0x2A19, .battery)

    /// Battery Critical Status, `2BE9`.
    public static let batteryCriticalStatus = Self(0x2BE9, .battery)

    /// Battery Health Status, `2BEA`.
    public static let batteryHealthStatus = Self(0x2BEA, .battery)

    /// Battery Health Information, `2BEB`.
    public static let batteryHealthInformation = Self(0x2BEB, .battery)

    /// Battery Information, `2BEC`.
    public static let batteryInformation = Self(0x2BEC, .battery)

    /// Battery Level Status, `2BED`.
    public static let batteryLevelStatus = Self(0x2BED, .battery)

    /// Battery Time Status, `2BEE`.
    public static let batteryTimeStatus = Self(0x2BEE, .battery)

    /// Estimated Service Date, `2BEF`.
    public static let estimatedServiceDate = Self(0x2BEF, .battery)

    /// Battery Energy Status, `2BF0`.
    public static let batteryEnergyStatus = Self(0x2BF0, .battery)

    // MARK: Human Interface Device

    /// Boot Keyboard Input Report, `2A22`.
    public static let bootKeyboardInputReport = Self(0x2A22, .humanInterfaceDevice)

    /// Boot Keyboard Output Report, `2A32`.
    public static let bootKeyboardOutputReport = Self(0x2A32, .humanInterfaceDevice)

    /// Boot Mouse Input Report, `2A33`.
    public static let bootMouseInputReport = Self(0x2A33, .humanInterfaceDevice)

    /// HID Information, `2A4A`.
    public static let hidInformation = Self(0x2A4A, .humanInterfaceDevice)

    /// Report Map, `2A4B`.
    public static let hidReportMap = Self(0x2A4B, .humanInterfaceDevice)

    /// HID Control Point, `2A4C`.
    public static let hidControlPoint = Self(0x2A4C, .humanInterfaceDevice)

    /// Report, `2A4D`.
    public static let hidReport = Self(0x2A4D, .humanInterfaceDevice)

    /// Protocol Mode, `2A4E`.
    public static let hidProtocolMode = Self(0x2A4E, .humanInterfaceDevice)

    // MARK: Automation IO

    /// Digital, `2A56`.
    public static let automationIODigital = Self(0x2A56, .automationIO)

    /// Analog, `2A58`.
    public static let automationIOAnalog = Self(0x2A58, .automationIO)

    /// Aggregate, `2A5A`.
    public static let automationIOAggregate = Self(0x2A5A, .automationIO)
}
