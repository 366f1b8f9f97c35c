internal import BluejayPackets
internal import Distributed
public import FoundationEssentials

/// Maps types of actors to services, and their distributed methods to characteristics.
///
/// The UUIDs depend on the names of the type and the method only, without module, outer types and labels, so that
/// programs of different modules agree on them.
public enum ServiceMapper {
    /// Returns the names of the distributed methods of a type, without labels and in alphabetical order.
    static func methodNames(of type: Any.Type) -> [String] {
        Set(records(of: TypePath(type), type).map(\.name)).sorted()
    }

    static func serviceUUID(named typeName: String) -> UUID {
        UUID(version5: "\(typeName).BLEService", in: .bleuNamespace)
    }

    static func characteristicUUID(for method: String, named typeName: String) -> UUID {
        UUID(
            version5: "\(typeName).\(baseName(method))",
            in: serviceUUID(named: typeName)
        )
    }

    /// Describes the service of a type.
    ///
    /// - Parameters:
    ///   - type: The type of an actor.
    ///   - registered: The names of its methods, used if the program cannot read them.
    /// - Returns: The service with one characteristic for each method.
    /// - Throws: The reason why the type cannot be a service.
    static func description(
        of type: Any.Type,
        registered: [String]?
    ) throws(BleuRegistrationError) -> PeripheralDescription {
        let path = TypePath(type)
        guard !path.isGeneric else { throw .genericType("\(type)") }
        let records = records(of: path, type)
        let owners = Set(records.map(\.owner.text)).sorted()
        // A private type is known by its name only.
        if path.isHidden, owners.count > 1 { throw .sameName(owners[0], owners[1]) }
        let qualifiedName = path.isHidden ? owners.first ?? path.text : path.text
        // Libraries may have a type of this name, too; it matters if one system serves both.
        let duplicate = MethodRecord.all.first {
            $0.owner.name == path.name && $0.owner.module == path.module && !records.contains($0)
        }
        if let duplicate { throw .sameName(qualifiedName, duplicate.owner.text) }
        if let generic = records.first(where: \.isGeneric) {
            throw .genericType("\(type).\(generic.name)")
        }

        let typeName = "\(type)"
        var methods = records.map { DistributedMethod($0, of: typeName) }
        if methods.isEmpty {
            methods = (registered ?? []).map { DistributedMethod(registered: $0, of: typeName) }
        }
        let names = Dictionary(grouping: methods, by: \.name)
        let overloads = names.filter { $1.count > 1 }.keys.sorted()
        guard overloads.isEmpty else {
            throw .overloadedMethods(type: typeName, methods: overloads)
        }
        guard !methods.isEmpty else { throw .noMethods(type: typeName) }
        return PeripheralDescription(
            typeName: typeName,
            qualifiedName: qualifiedName,
            service: serviceUUID(named: typeName),
            methods: methods.sorted { $0.name < $1.name }
        )
    }

    static func baseName(_ method: String) -> String {
        var reader = TextReader(method)
        return reader.identifier()
    }

    private static func records(of path: TypePath, _ type: Any.Type) -> [MethodRecord] {
        guard !path.isHidden else { return MethodRecord.all.filter { $0.owner.mayBe(path) } }
        // Types in extensions of different modules may have one text, but not one mangled name.
        guard let mangled = _mangledTypeName(type) else { return [] }
        return MethodRecord.all.filter {
            $0.owner.isPathOrExtension(of: path) && $0.target.hasPrefix("$s\(mangled)")
        }
    }
}

extension DistributedMethod {
    init(_ record: MethodRecord, of typeName: String) {
        self.init(
            name: record.name,
            characteristic: ServiceMapper.characteristicUUID(for: record.name, named: typeName),
            target: record.target,
            parameterCount: record.parameterCount,
            hasResult: record.hasResult,
            isStream: record.isStream,
            hasMisplacedStream: record.hasMisplacedStream
        )
    }

    init(registered method: String, of typeName: String) {
        self.init(
            name: ServiceMapper.baseName(method),
            characteristic: ServiceMapper.characteristicUUID(for: method, named: typeName),
            target: nil,
            parameterCount: nil,
            hasResult: true,
            isStream: false
        )
    }
}

extension UUID {
    /// The namespace of the services of Bleu, `6E400001-B5A3-F393-E0A9-E50E24DCCA9E`.
    public static let bleuNamespace = UUID(
        uuid: (
            0x6E, 0x40, 0x00, 0x01, 0xB5, 0xA3, 0xF3, 0x93, 0xE0, 0xA9, 0xE5, 0x0E, 0x24, 0xDC,
            0xCA, 0x9E
        )
    )
}

extension ServiceMapper {
    private static let names = Dictionary(
        MethodRecord.all.map { ($0.target, $0.name) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns the name of a method, without labels, that this program calls.
    static func method(of target: RemoteCallTarget) -> String {
        if let name = names[target.identifier] { return name }
        // The runtime describes a method that is not listed as `Type.method(label:)`.
        let path = "\(target)".prefix { $0 != "(" }
        return path.split(separator: ".").last.map { String($0) } ?? target.identifier
    }
}
