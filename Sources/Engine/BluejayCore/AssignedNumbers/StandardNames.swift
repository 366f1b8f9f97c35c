extension BluetoothUUID {
    /// The English name of the UUID in Bluetooth's Assigned Numbers, such as `Heart Rate`.
    ///
    /// Covers every assigned service, declaration, descriptor and characteristic, including a few
    /// withdrawn characteristics that older peripherals still have. It is `nil` for all other UUIDs,
    /// including those of companies.
    public var standardName: String? { StandardNames.byNumber[uuidString] }
}

/// The names of the GATT attributes in the Bluetooth SIG's Assigned Numbers, as published in 2026.
///
/// The lists are text, one row per number, because literals of 600 pairs are slow to compile. Two names
/// are longer than in the lists: `Generic Access` and `Generic Attribute` for GAP and GATT.
package enum StandardNames {
    /// All names by number, as four hexadecimal digits in upper case; parsed on first use.
    static let byNumber: [String: String] = Dictionary(
        lists.flatMap(rows(of:)),
        uniquingKeysWith: { first, _ in first }
    )

    /// The lists, each in the order of its numbers.
    package static let lists: [String] = [services, characteristics2A, characteristics2B]

    /// The rows of a list: four digits, a space, the name.
    package static func rows(of list: String) -> [(number: String, name: String)] {
        list.split(separator: "\n").map { (String($0.prefix(4)), String($0.dropFirst(5))) }
    }
}

extension CharacteristicIdentifier {
    /// A characteristic with an assigned number.
    init(_ number: UInt16, _ service: ServiceIdentifier) {
        self.init(uuid: BluetoothUUID(uint16: number), service: service)
    }
}
