import BluejayCore
import BluejayDeviceFile

/// A device as the generated code describes it.
struct GeneratedDevice {
    /// The name of the client's type and module.
    let typeName: String
    let file: DeviceFile
    let services: [GeneratedService]

    var twinName: String { "Simulated" + typeName }
    var testName: String { typeName + "Tests" }
    var address: String { file.address?.text ?? "D0:FF:EE:00:00:01" }
    var characteristics: [GeneratedCharacteristic] { services.flatMap(\.characteristics) }
    /// The characteristics with a member of the client.
    var members: [GeneratedCharacteristic] { services.flatMap(\.members) }

    /// Names all attributes of a device.
    init(_ file: DeviceFile, named typeName: String) {
        self.typeName = typeName
        self.file = file
        var names = MemberNames(file)
        let notifications = file.notificationsByCharacteristic
        var instances: [AttributeUUID: Int] = [:]
        services = file.services.enumerated().map { index, service in
            let instance = instances[service.uuid, default: 0]
            instances[service.uuid] = instance + 1
            var earlier: [AttributeUUID: Int] = [:]
            let characteristics = service.characteristics.enumerated().map { offset, own in
                let place = DeviceFile.CharacteristicIndex(service: index, characteristic: offset)
                let number = earlier[own.uuid, default: 0]
                earlier[own.uuid] = number + 1
                return Self.characteristic(
                    own,
                    named: names.add(own),
                    Self.identifier(own.uuid, number, of: service.uuid, instance),
                    number,
                    notifications[place] ?? [],
                    isBattery: service.uuid.description == "180F",
                    isFirst: instance == 0 && number == 0
                )
            }
            return GeneratedService(
                file: service,
                title: Self.title(service.uuid, instance, nil),
                characteristics: characteristics
            )
        }
    }

    private static func characteristic(
        _ own: DeviceFile.Characteristic,
        named name: String,
        _ identifier: SwiftExpression,
        _ number: Int,
        _ notifications: [DeviceFile.Notification],
        isBattery: Bool,
        isFirst: Bool
    ) -> GeneratedCharacteristic {
        let sent = Array(notifications.prefix(GeneratedCharacteristic.maximumNotifications))
        let values = notifications.map(\.value) + (own.value.map { [$0] } ?? [])
        return GeneratedCharacteristic(
            file: own,
            name: name,
            title: title(own.uuid, number, own.userDescription),
            type: ValueType.type(of: own.uuid.description, for: values),
            identifier: identifier,
            notifications: sent,
            omittedNotifications: notifications.count - sent.count,
            isBattery: isBattery,
            isFirst: isFirst
        )
    }

    private static func identifier(
        _ uuid: AttributeUUID,
        _ number: Int,
        of service: AttributeUUID,
        _ instance: Int
    ) -> SwiftExpression {
        let owner = SwiftExpression.text("\"\(service)\"")
        let wholeOwner = SwiftExpression.call(
            "ServiceIdentifier",
            ("uuid", owner),
            ("instance", .text("\(instance)"))
        )
        let arguments: [(String?, SwiftExpression)] =
            [("uuid", .text("\"\(uuid)\"")), ("service", instance == 0 ? owner : wholeOwner)]
            + (number == 0 ? [] : [("instance", .text("\(number)"))])
        return .call("CharacteristicIdentifier", arguments.map(SwiftArgument.init))
    }

    private static func title(_ uuid: AttributeUUID, _ number: Int, _ description: String?)
        -> String
    {
        let comment = description.map { SwiftText.comment($0) } ?? ""
        let name =
            BluetoothUUID(string: uuid.description).standardName
            ?? (comment.isEmpty ? nil : "“\(comment)”")
        let text = "`\(uuid)\(number == 0 ? "" : "#\(number)")`"
        return name.map { "\($0), \(text)" } ?? text
    }
}
