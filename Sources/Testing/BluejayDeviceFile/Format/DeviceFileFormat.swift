package import FoundationEssentials
internal import Yams

/// The format of a device file; both formats have the same fields.
package enum DeviceFileFormat: CaseIterable, Swift.Sendable {
    /// JSON (RFC 8259).
    case json
    /// YAML 1.1, as libyaml reads it.
    case yaml

    /// Selects YAML for names that end with `.yaml` or `.yml`, in either case, and JSON otherwise.
    package init(ofFile name: String) {
        let name = name.lowercased()
        self = name.hasSuffix(".yaml") || name.hasSuffix(".yml") ? .yaml : .json
    }
}

extension DeviceFile {
    /// Decodes a file.
    ///
    /// - Throws: ``DeviceFileError`` with the position.
    package init(_ bytes: Data, _ format: DeviceFileFormat) throws(DeviceFileError) {
        switch format {
        case .json: try self.init(JSONText.read(bytes))
        case .yaml: try self.init(YAMLText.read(bytes))
        }
    }

    /// Encodes the file; equal devices give equal bytes.
    ///
    /// - Throws: An encoder error; no device is known to cause one.
    package func bytes(_ format: DeviceFileFormat) throws -> Data {
        switch format {
        case .json: try json()
        case .yaml: Data(try YAMLEncoder().encode(self).utf8)
        }
    }
}
