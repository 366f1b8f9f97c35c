package import FoundationEssentials
internal import Yams

/// What a device file is written in: the same fields in one or the other.
package enum DeviceFileFormat: CaseIterable, Swift.Sendable {
    /// RFC 8259.
    case json
    /// YAML 1.1, as libyaml reads it.
    case yaml

    /// That of a file with this name: YAML when it ends with `.yaml` or `.yml`, in either case, otherwise JSON.
    package init(ofFile name: String) {
        let name = name.lowercased()
        self = name.hasSuffix(".yaml") || name.hasSuffix(".yml") ? .yaml : .json
    }
}

extension DeviceFile {
    /// Reads the bytes of a file.
    ///
    /// - Throws: ``DeviceFileError``, which names the place.
    package init(_ bytes: Data, _ format: DeviceFileFormat) throws(DeviceFileError) {
        switch format {
        case .json: try self.init(JSONText.read(bytes))
        case .yaml: try self.init(YAMLText.read(bytes))
        }
    }

    /// The bytes of a file: the same device has the same bytes.
    ///
    /// - Throws: What the encoder does, which no device is known to cause.
    package func bytes(_ format: DeviceFileFormat) throws -> Data {
        switch format {
        case .json: try json()
        case .yaml: Data(try YAMLEncoder().encode(self).utf8)
        }
    }
}
