/// A device in a file: its advertisement, its services with their values, and the times of its notifications.
///
/// A device read from a file obeys all rules of the format, which `Documentation/DeviceFiles.md` lists.
package struct DeviceFile: Equatable, Swift.Sendable {
    /// The address; `nil` leaves the choice to the program that plays the device.
    package var address: Address?
    /// The advertised name; at most 248 bytes of UTF-8.
    package var name: String?
    /// The UUIDs of the advertised services, in the form of ``AttributeUUID``.
    package var advertises: [AttributeUUID]
    /// The advertised manufacturer data, by assigned company number.
    package var manufacturerData: [UInt16: [UInt8]]
    /// The services, in the order of their handles.
    package var services: [Service]
    /// The values sent to subscribers; each time counts from the subscription.
    package var notifications: [Notification]

    /// An address, such as `C4:7C:8D:6A:1F:02`.
    package struct Address: Equatable, Swift.Sendable {
        /// Six pairs of hexadecimal digits, in upper case.
        package var text: String
        package var isRandom: Bool

        package init(text: String, isRandom: Bool) {
            self.text = text
            self.isRandom = isRandom
        }
    }

    package struct Service: Equatable, Swift.Sendable {
        package var uuid: AttributeUUID
        /// Whether the service is primary rather than meant for inclusion by others.
        package var isPrimary: Bool
        /// The characteristics, in the order of their handles.
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

    package struct Characteristic: Equatable, Swift.Sendable {
        package var uuid: AttributeUUID
        /// The property names of BlueZ, such as `read` and `encrypt-write`.
        package var properties: [String]
        /// At most 512 bytes; `nil` if unknown, which makes it unreadable.
        package var value: [UInt8]?
        /// The descriptors, in the order of their handles, without 2900 and 2902.
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

    package struct Descriptor: Equatable, Swift.Sendable {
        package var uuid: AttributeUUID
        /// At most 512 bytes.
        package var value: [UInt8]

        package init(uuid: AttributeUUID, value: [UInt8]) {
            self.uuid = uuid
            self.value = value
        }
    }

    /// A value sent to each subscriber.
    package struct Notification: Equatable, Swift.Sendable {
        package var index: CharacteristicIndex
        /// The time after the subscription; at most ``DeviceFile/maximumTime``.
        package var milliseconds: Int
        /// At most 512 bytes.
        package var value: [UInt8]

        package init(index: CharacteristicIndex, milliseconds: Int, value: [UInt8]) {
            self.index = index
            self.milliseconds = milliseconds
            self.value = value
        }
    }

    /// The index of a service, and the index of a characteristic within it; both from 0.
    package struct CharacteristicIndex: Hashable, Swift.Sendable {
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
    package static let maximumTime = 30 * 86_400_000

    /// The characteristic at a position, or `nil` if it does not exist.
    package subscript(index: CharacteristicIndex) -> Characteristic? {
        guard services.indices.contains(index.service) else { return nil }
        let characteristics = services[index.service].characteristics
        guard characteristics.indices.contains(index.characteristic) else { return nil }
        return characteristics[index.characteristic]
    }

    /// The values that a characteristic sends, the earliest first; values with equal times keep the file's
    /// order.
    package func notifications(at index: CharacteristicIndex) -> [Notification] {
        notifications.enumerated().filter { $0.element.index == index }
            .sorted {
                ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset)
            }
            .map(\.element)
    }

    /// The values that each characteristic sends, ordered as by ``notifications(at:)``.
    package var notificationsByCharacteristic: [CharacteristicIndex: [Notification]] {
        Dictionary(grouping: notifications.enumerated(), by: \.element.index).mapValues { own in
            own.sorted {
                ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset)
            }
            .map(\.element)
        }
    }

    /// The used bytes of the advertisement; the name is in the scan response.
    package var advertisementLength: Int {
        var length = 3
        for (bytes, uuids) in Dictionary(grouping: advertises, by: \.length) {
            length += 2 + bytes * uuids.count
        }
        for bytes in manufacturerData.values { length += 4 + bytes.count }
        return length
    }
}
