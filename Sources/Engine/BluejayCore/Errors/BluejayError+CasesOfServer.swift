/// The kinds of the peripheral's side.
extension BluejayError {
    /// BlueZ provides this service or descriptor itself.
    public static func reservedUUID(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.reservedUUID(uuid))
    }

    /// As a pattern: the same with any value.
    public static let reservedUUID = BluejayError(.any(.reservedUUID))

    /// The properties of a characteristic or descriptor cannot be registered; with the reason.
    public static func invalidProperties(_ uuid: BluetoothUUID, _ reason: String) -> BluejayError {
        BluejayError(.invalidProperties(uuid, reason))
    }

    /// As a pattern: the same with any value.
    public static let invalidProperties = BluejayError(.any(.invalidProperties))

    /// The service, or one of its characteristics, is published already.
    public static func alreadyAdded(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.alreadyAdded(uuid))
    }

    /// As a pattern: the same with any value.
    public static let alreadyAdded = BluejayError(.any(.alreadyAdded))

    /// The service, or the service of the characteristic, is not published.
    public static func notAdded(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.notAdded(uuid))
    }

    /// As a pattern: the same with any value.
    public static let notAdded = BluejayError(.any(.notAdded))

    /// The characteristic has neither `notify` nor `indicate`.
    public static func notSubscribable(_ uuid: BluetoothUUID) -> BluejayError {
        BluejayError(.notSubscribable(uuid))
    }

    /// As a pattern: the same with any value.
    public static let notSubscribable = BluejayError(.any(.notSubscribable))

    /// The advertisement does not fit its packet; both are numbers of bytes.
    public static func advertisementTooLong(length: Int, limit: Int) -> BluejayError {
        BluejayError(.advertisementTooLong(length: length, limit: limit))
    }

    /// As a pattern: the same with any value.
    public static let advertisementTooLong = BluejayError(.any(.advertisementTooLong))

    /// The name does not fit the scan response; both are lengths of its UTF-8 form.
    public static func nameTooLong(length: Int, limit: Int) -> BluejayError {
        BluejayError(.nameTooLong(length: length, limit: limit))
    }

    /// As a pattern: the same with any value.
    public static let nameTooLong = BluejayError(.any(.nameTooLong))

    /// A part of the advertisement is outside of what Bluetooth or BlueZ allows; with the reason.
    public static func invalidAdvertisement(_ text: String) -> BluejayError {
        BluejayError(.invalidAdvertisement(text))
    }

    /// As a pattern: the same with any value.
    public static let invalidAdvertisement = BluejayError(.any(.invalidAdvertisement))

    /// An advertisement is on the air already.
    public static let alreadyAdvertising = BluejayError(.alreadyAdvertising)

    /// The adapter sends no more advertisements at the same time.
    public static let tooManyAdvertisements = BluejayError(.tooManyAdvertisements)

    /// The central is not subscribed, or not any more.
    public static func notSubscribed(_ central: PeripheralIdentifier) -> BluejayError {
        BluejayError(.notSubscribed(central))
    }

    /// As a pattern: the same with any value.
    public static let notSubscribed = BluejayError(.any(.notSubscribed))

    /// This BlueZ would send the value to other centrals too.
    public static func notAddressable(_ central: PeripheralIdentifier) -> BluejayError {
        BluejayError(.notAddressable(central))
    }

    /// As a pattern: the same with any value.
    public static let notAddressable = BluejayError(.any(.notAddressable))

    /// As many values wait for the subscribers as may; with how many that is.
    public static func tooManyValues(limit: Int) -> BluejayError {
        BluejayError(.tooManyValues(limit: limit))
    }

    /// As a pattern: the same with any value.
    public static let tooManyValues = BluejayError(.any(.tooManyValues))
}
