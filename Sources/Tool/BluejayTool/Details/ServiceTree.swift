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

    /// Returns one line for each service, characteristic and descriptor; a `nil` width is unlimited.
    func lines(width: Int?) -> [String] {
        services.flatMap { service in
            let identifier = service.identifier
            let kind = service.isPrimary ? "" : "secondary"
            let head = Self.line("", identifier.uuid, identifier.instance, kind, width)
            return [head] + branches(of: service, width)
        }
    }

    private func branches(of service: PeripheralService, _ width: Int?) -> [String] {
        service.characteristics.enumerated().flatMap { index, characteristic in
            let isLast = index == service.characteristics.count - 1
            let identifier = characteristic.identifier
            let line = Self.line(
                isLast ? "└─ " : "├─ ",
                identifier.uuid,
                identifier.instance,
                characteristic.properties.description,
                width,
                descriptions[identifier]
            )
            let descriptors = characteristic.descriptorIdentifiers
            return [line]
                + descriptors.enumerated().map { position, descriptor in
                    let stem = isLast ? "   " : "│  "
                    let branch = position == descriptors.count - 1 ? "└─ " : "├─ "
                    return Self.line(
                        stem + branch,
                        descriptor.uuid,
                        descriptor.instance,
                        "",
                        width
                    )
                }
        }
    }

    // The name is shortened in favour of the properties, down to a few letters.
    private static func line(
        _ branch: String,
        _ uuid: BluetoothUUID,
        _ instance: Int,
        _ properties: String,
        _ width: Int?,
        _ description: String? = nil
    ) -> String {
        let head = branch + uuid.displayText(instance)
        let tail = properties.isEmpty ? "" : "  " + properties
        let name =
            (uuid.assignedName.map { " " + $0 } ?? "")
            + (description.map { " \"\($0.printable)\"" } ?? "")
        guard let width else { return head + name + tail }
        let room = width - head.displayWidth - tail.displayWidth
        let kept = max(min(name.displayWidth, minimumNameWidth), room)
        return (head + name.truncated(to: kept) + tail).truncated(to: width)
    }
}
