import Bluejay
import BluejayCommandLine
import BluejayCore

/// The services of a device as the lines of a tree.
struct ServiceTree {
    /// The minimum width of a name before the properties.
    private static let minimumNameWidth = 8

    private let services: [PeripheralService]
    private let descriptions: UserDescriptions

    init(_ services: [PeripheralService], _ descriptions: UserDescriptions = UserDescriptions()) {
        self.services = services
        self.descriptions = descriptions
    }

    /// A service, a characteristic or a descriptor.
    struct Row: Equatable {
        /// The lines of the tree before the attribute.
        let branch: String
        let uuid: BluetoothUUID
        let instance: Int
        /// The properties, or the kind of a service.
        let properties: String
        /// The description that the device has for a characteristic, unfiltered.
        var description: String?
        /// The attribute, or `nil` for a service.
        var attribute: ValueAttribute?
    }

    /// Returns one line for each service, characteristic and descriptor; a `nil` width is unlimited.
    func lines(width: Int?) -> [String] { rows.map { Self.line($0, width) } }

    /// The services, each followed by its characteristics with their descriptors.
    var rows: [Row] {
        services.flatMap { service in
            let identifier = service.identifier
            let head = Row(
                branch: "",
                uuid: identifier.uuid,
                instance: identifier.instance,
                properties: service.isPrimary ? "" : "secondary"
            )
            return [head] + branches(of: service)
        }
    }

    private func branches(of service: PeripheralService) -> [Row] {
        service.characteristics.enumerated().flatMap { index, characteristic in
            let isLast = index == service.characteristics.count - 1
            let identifier = characteristic.identifier
            let row = Row(
                branch: isLast ? "└─ " : "├─ ",
                uuid: identifier.uuid,
                instance: identifier.instance,
                properties: characteristic.properties.description,
                description: descriptions[identifier],
                attribute: .characteristic(characteristic)
            )
            let descriptors = characteristic.descriptorIdentifiers
            return [row]
                + descriptors.enumerated().map { position, descriptor in
                    let branch = position == descriptors.count - 1 ? "└─ " : "├─ "
                    return Row(
                        branch: (isLast ? "   " : "│  ") + branch,
                        uuid: descriptor.uuid,
                        instance: descriptor.instance,
                        properties: "",
                        attribute: .descriptor(descriptor)
                    )
                }
        }
    }

    // The name is shortened in favour of the properties, down to a few letters.
    private static func line(_ row: Row, _ width: Int?) -> String {
        let head = row.branch + row.uuid.displayText(row.instance)
        let tail = row.properties.isEmpty ? "" : "  " + row.properties
        let name =
            (row.uuid.assignedName.map { " " + $0 } ?? "")
            + (row.description.map { " \"\($0.printable)\"" } ?? "")
        guard let width else { return head + name + tail }
        let room = width - head.displayWidth - tail.displayWidth
        let kept = max(min(name.displayWidth, minimumNameWidth), room)
        return (head + name.truncated(to: kept) + tail).truncated(to: width)
    }
}
