import Bluejay
import BluejayCommandLine
import BluejayCurses
import Foundation

/// The device that the inspector has opened, with its attributes and their values.
struct DeviceInspection {
    enum Link: Equatable {
        case connecting
        case connected
        case ended(reason: String)
    }

    /// The device with its current name.
    private(set) var device: PeripheralIdentifier
    var link = Link.connecting
    var isPaired = false
    /// The file of the running recording.
    var recordingFile: String?
    /// Whether the selected attribute fills the screen.
    var showsAttribute = false
    private(set) var rows: [ServiceTree.Row] = []
    private(set) var selectedIndex = 0
    private var records: [ValueAttribute: AttributeRecord] = [:]

    init(_ device: PeripheralIdentifier) {
        self.device = device
    }

    /// The name for a sentence, without control characters.
    var name: String { device.name.isEmpty ? device.displayText : device.name.printable }

    /// The selected row, or `nil` without services.
    var selectedRow: ServiceTree.Row? {
        rows.indices.contains(selectedIndex) ? rows[selectedIndex] : nil
    }

    /// The selected attribute, or `nil` on a service.
    var selectedAttribute: ValueAttribute? { selectedRow?.attribute }

    /// The characteristics that the inspector listens to.
    var listenedCharacteristics: [CharacteristicIdentifier] {
        rows.compactMap(\.attribute).filter { self[$0].isListening }.map(\.characteristic)
    }

    /// The attributes that a read of all values reads.
    var readableAttributes: [ValueAttribute] {
        rows.compactMap(\.attribute).filter { $0.operations.contains(.read) }
    }

    subscript(attribute: ValueAttribute) -> AttributeRecord {
        records[attribute] ?? AttributeRecord()
    }

    mutating func connected(
        _ device: PeripheralIdentifier,
        _ services: [PeripheralService],
        isPaired: Bool
    ) {
        self.device = device
        self.isPaired = isPaired
        link = .connected
        setServices(services)
    }

    /// Replaces the services; the selection stays on its attribute if that still exists.
    mutating func setServices(_ services: [PeripheralService]) {
        let selected = selectedRow
        rows = ServiceTree(services).rows
        selectedIndex = rows.firstIndex { $0 == selected } ?? 0
        if selectedAttribute == nil { showsAttribute = false }
    }

    mutating func disconnected(reason: String) {
        link = .ended(reason: reason)
        recordingFile = nil
        for attribute in records.keys { records[attribute]?.isListening = false }
    }

    mutating func move(_ key: TerminalKey) {
        let index = ListSelection.index(after: key, from: selectedIndex, of: rows.count)
        if let index { selectedIndex = index }
    }

    mutating func renamed(_ device: PeripheralIdentifier) { self.device = device }

    mutating func add(_ data: Data, to attribute: ValueAttribute, at time: Double) {
        records[attribute, default: AttributeRecord()].add(data, of: attribute.uuid, at: time)
    }

    mutating func fail(_ attribute: ValueAttribute, _ failure: ToolFailure) {
        records[attribute, default: AttributeRecord()].fail(failure)
    }

    mutating func setListening(_ isListening: Bool, to attribute: ValueAttribute) {
        records[attribute, default: AttributeRecord()].isListening = isListening
    }

    /// Returns the attribute of a characteristic, or `nil` if the device no longer has it.
    func attribute(_ characteristic: CharacteristicIdentifier) -> ValueAttribute? {
        rows.compactMap(\.attribute).first {
            $0.descriptor == nil && $0.characteristic == characteristic
        }
    }
}

/// The operations of the inspector on an attribute.
struct AttributeOperations: OptionSet {
    let rawValue: Int

    static let read = AttributeOperations(rawValue: 1)
    static let write = AttributeOperations(rawValue: 2)
    static let listen = AttributeOperations(rawValue: 4)

    /// The key of each operation, or a space.
    var keys: String {
        [(Self.read, "r"), (.write, "w"), (.listen, "n")]
            .map { contains($0.0) ? $0.1 : " " }.joined()
    }
}

extension ValueAttribute {
    var operations: AttributeOperations {
        guard case .characteristic(let characteristic) = self else {
            // The library writes the configuration of notifications itself.
            return uuid == BluetoothUUID(uint16: 0x2902) ? .read : [.read, .write]
        }
        let properties = characteristic.properties
        var operations: AttributeOperations = []
        if properties.contains(.read) { operations.insert(.read) }
        if writeType != nil { operations.insert(.write) }
        if !properties.isDisjoint(with: [.notify, .indicate]) { operations.insert(.listen) }
        return operations
    }

    /// The type of writes, or `nil` without a property for writes.
    var writeType: WriteType? {
        guard case .characteristic(let characteristic) = self else { return .withResponse }
        if characteristic.properties.contains(.write) { return .withResponse }
        return characteristic.properties.contains(.writeWithoutResponse) ? .withoutResponse : nil
    }

    /// The UUID with its name, such as `2A37 Heart Rate Measurement`.
    var title: String {
        let instance = descriptor?.instance ?? characteristic.instance
        return uuid.displayText(instance) + (uuid.assignedName.map { " " + $0 } ?? "")
    }
}
