/// A device in a file: what it advertises, its services with their values, and what it sends when.
///
/// What is read from a file keeps all the rules of the format; `Documentation/DeviceFiles.md` has them.
package struct DeviceFile: Equatable, Swift.Sendable {
    /// The address; nil leaves it to whoever plays the device.
    package var address: Address?
    /// The name that it says; at most 248 bytes of UTF-8.
    package var name: String?
    /// The UUIDs of the advertised services, in the form of ``AttributeUUID``.
    package var advertises: [AttributeUUID]
    /// The advertised data of companies, by their assigned numbers.
    package var manufacturerData: [UInt16: [UInt8]]
    /// The services, in the order of their handles.
    package var services: [Service]
    /// What is sent, each counted from the subscription to its characteristic.
    package var notifications: [Notification]

    /// An address, such as `C4:7C:8D:6A:1F:02`.
    package struct Address: Equatable, Swift.Sendable {
        /// Six pairs of hexadecimal digits, in upper case.
        package var text: String
        /// Whether it is random rather than public.
        package var isRandom: Bool

        package init(text: String, isRandom: Bool) {
            self.text = text
            self.isRandom = isRandom
        }
    }

    /// A service.
    package struct Service: Equatable, Swift.Sendable {
        package var uuid: AttributeUUID
        /// Whether it stands for itself, rather than for others to include.
        package var isPrimary: Bool
        /// In the order of their handles.
        package var characteristics: [Characteristic]

        package init(
            uuid: AttributeUUID,
            isPrimary: Bool = true,
            characteristics: [Characteristic]
        ) {
            self.uuid = uuid
            self.isPrimary = isPrimary
            self.characteristics = characteristics
        }
    }

    /// A characteristic.
    package struct Characteristic: Equatable, Swift.Sendable {
        package var uuid: AttributeUUID
        /// BlueZ's words, such as `read` and `encrypt-write`.
        package var properties: [String]
        /// At most 512 bytes; nil is not known, and then it cannot be read.
        package var value: [UInt8]?
        /// In the order of their handles, without 2900 and 2902.
        package var descriptors: [Descriptor]

        package init(
            uuid: AttributeUUID,
            properties: [String],
            value: [UInt8]? = nil,
            descriptors: [Descriptor] = []
        ) {
            self.uuid = uuid
            self.properties = properties
            self.value = value
            self.descriptors = descriptors
        }
    }

    /// A descriptor.
    package struct Descriptor: Equatable, Swift.Sendable {
        package var uuid: AttributeUUID
        /// At most 512 bytes.
        package var value: [UInt8]

        package init(uuid: AttributeUUID, value: [UInt8]) {
            self.uuid = uuid
            self.value = value
        }
    }

    /// A value that is sent to whoever is subscribed.
    package struct Notification: Equatable, Swift.Sendable {
        /// Of which characteristic.
        package var place: Place
        /// After the subscription; up to ``DeviceFile/longestTime``.
        package var milliseconds: Int
        /// At most 512 bytes.
        package var value: [UInt8]

        package init(place: Place, milliseconds: Int, value: [UInt8]) {
            self.place = place
            self.milliseconds = milliseconds
            self.value = value
        }
    }

    /// Where a characteristic stands in the list of its service, and that in its own; both from 0.
    package struct Place: Hashable, Swift.Sendable {
        package var service: Int
        package var characteristic: Int

        package init(service: Int, characteristic: Int) {
            self.service = service
            self.characteristic = characteristic
        }
    }

    package init(
        address: Address? = nil,
        name: String? = nil,
        advertises: [AttributeUUID] = [],
        manufacturerData: [UInt16: [UInt8]] = [:],
        services: [Service] = [],
        notifications: [Notification] = []
    ) {
        self.address = address
        self.name = name
        self.advertises = advertises
        self.manufacturerData = manufacturerData
        self.services = services
        self.notifications = notifications
    }

    /// Thirty days, in milliseconds.
    package static let longestTime = 30 * 86_400_000

    /// The characteristic at a place; nil where there is none.
    package subscript(place: Place) -> Characteristic? {
        guard services.indices.contains(place.service) else { return nil }
        let characteristics = services[place.service].characteristics
        guard characteristics.indices.contains(place.characteristic) else { return nil }
        return characteristics[place.characteristic]
    }

    /// What a characteristic sends, the earliest first; those of one time in the order of the file.
    package func notifications(at place: Place) -> [Notification] {
        notifications.enumerated().filter { $0.element.place == place }
            .sorted {
                ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset)
            }
            .map(\.element)
    }

    /// What each characteristic sends, as ``notifications(at:)`` has it.
    package var notificationsByPlace: [Place: [Notification]] {
        Dictionary(grouping: notifications.enumerated(), by: \.element.place).mapValues { own in
            own.sorted {
                ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset)
            }
            .map(\.element)
        }
    }

    /// How many bytes of the advertisement are used: the name is in the scan response.
    package var advertisementLength: Int {
        var length = 3
        for (bytes, uuids) in Dictionary(grouping: advertises, by: \.length) {
            length += 2 + bytes * uuids.count
        }
        for bytes in manufacturerData.values { length += 4 + bytes.count }
        return length
    }
}
