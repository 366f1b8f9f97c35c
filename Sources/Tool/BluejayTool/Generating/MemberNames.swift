import BluejayCore
import BluejayDeviceFile

/// The names of all characteristics of a device, each of which also has a plural and a setter.
struct MemberNames {
    private var used: Set<String> = ["bluejay", "connect", "disconnect", "filter", "name"]
    private let titles: [String: Int]

    /// Counts the names of a device, so that a shared one is replaced by a description.
    init(_ device: DeviceFile) {
        let names = device.services.flatMap(\.characteristics).compactMap(Self.assigned)
        titles = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// Returns a name that no earlier characteristic has.
    mutating func add(_ characteristic: DeviceFile.Characteristic) -> String {
        let described = characteristic.userDescription.flatMap { SwiftName.member($0) }
        let assigned = Self.assigned(characteristic)
        let isShared = assigned.map { titles[$0, default: 0] > 1 } ?? true
        let base =
            (isShared ? described ?? assigned : assigned)
            ?? "characteristic" + characteristic.uuid.description.prefix(8)
        var name = base
        var number = 1
        while !used.isDisjoint(with: Self.all(name)) {
            number += 1
            let separator = base.last?.isNumber == true ? "Instance" : ""
            name = "\(base)\(separator)\(number)"
        }
        used.formUnion(Self.all(name))
        return name
    }

    private static func all(_ name: String) -> Set<String> {
        [name, SwiftName.plural(name), SwiftName.setter(name)]
    }

    private static func assigned(_ characteristic: DeviceFile.Characteristic) -> String? {
        let name = BluetoothUUID(string: characteristic.uuid.description).standardName
        return name.flatMap { SwiftName.member($0, maximumLength: 60) }
    }
}

extension DeviceFile.Characteristic {
    /// The text of the Characteristic User Description.
    var userDescription: String? {
        guard let value = descriptors.first(where: { $0.uuid.description == "2901" })?.value
        else { return nil }
        return String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
    }
}
