/// The format of a device file; both formats have the same fields.
package enum DeviceFileFormat: CaseIterable, Swift.Sendable {
    /// JSON (RFC 8259).
    case json
    /// YAML 1.1, as libyaml reads it; its module is `BluejayYAML`.
    case yaml

    /// Selects YAML for names that end with `.yaml` or `.yml`, in either case, and JSON otherwise.
    package init(ofFile name: String) {
        let name = name.lowercased()
        self = name.hasSuffix(".yaml") || name.hasSuffix(".yml") ? .yaml : .json
    }
}
