import BluejayCore
import BluejayDeviceFile

/// A characteristic of a generated client: its name, its types and its recorded values.
struct GeneratedCharacteristic {
    /// The most notifications that the simulated twin sends.
    static let maximumNotifications = 50

    let file: DeviceFile.Characteristic
    let name: String
    /// The words of a comment, such as ``Heart Rate Measurement, `2A37` ``.
    let title: String
    let type: ValueType
    /// The expression of its identifier.
    let identifier: SwiftExpression
    /// The notifications that the twin sends, the earliest first.
    let notifications: [DeviceFile.Notification]
    let omittedNotifications: Int
    /// Whether it is in the Battery service, which bluetoothd keeps for itself.
    let isBattery: Bool
    /// Whether it is the first one in its service, and that the first service, with its UUID.
    let isFirst: Bool

    var plural: String { SwiftName.plural(name) }
    var setter: String { SwiftName.setter(name) }
    var isReadable: Bool { has("read") }
    var isListenable: Bool { has("notify") || has("indicate") }
    var isWritable: Bool {
        !isBattery && (has("write") || file.properties.contains("write-without-response"))
    }
    var isWrittenWithResponse: Bool { has("write") }
    var isWrittenInBothWays: Bool {
        has("write") && file.properties.contains("write-without-response")
    }

    /// Whether the twin answers a read.
    var hasValue: Bool { isReadable && file.value != nil }

    /// Whether a test receives the first notification; bluetoothd reports a battery level only if it changes.
    var hasNotification: Bool {
        guard isListenable, let first = notifications.first else { return false }
        return !isBattery || first.value != file.value
    }

    /// Whether the client can have a member for it.
    ///
    /// Of all Battery services, bluetoothd publishes one level from 0 to 100.
    fileprivate var isAvailable: Bool {
        guard isBattery else { return isReadable || isListenable || isWritable }
        let values = [file.value ?? []] + notifications.map(\.value)
        return isReadable && isFirst && file.uuid.description == "2A19"
            && values.allSatisfy { value in value.first.map { $0 <= 100 } ?? false }
    }

    private func has(_ operation: String) -> Bool {
        ["", "encrypt-", "encrypt-authenticated-", "secure-"]
            .contains { file.properties.contains($0 + operation) }
    }
}

/// A service of a generated client.
struct GeneratedService {
    let file: DeviceFile.Service
    /// The words of a comment, such as `Heart Rate, 180D`.
    let title: String
    let characteristics: [GeneratedCharacteristic]

    /// The characteristics with a member of the client.
    var members: [GeneratedCharacteristic] { characteristics.filter(\.isAvailable) }
}
