package import BluejayDeviceFile
package import FoundationEssentials
internal import Yams

extension DeviceFile {
    /// Decodes a file.
    ///
    /// - Throws: ``DeviceFileError`` with the position.
    package init(_ bytes: Data, _ format: DeviceFileFormat) throws(DeviceFileError) {
        switch format {
        case .json: try self.init(json: bytes)
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
