internal import BluejayDBus

/// Maps the objects of BlueZ to names that are the same in every recording.
///
/// Devices are numbered in the order of their appearance: `dev`, `dev2`. Services, characteristics and
/// descriptors are named by UUID instead of handle: `dev/180D/2A37`, the second of its kind `2A37#2`.
struct ObjectNames {
    private let adapter: String
    private let adapterPath: String
    private var devices: [String: String] = [:]
    private var attributes: [String: String] = [:]

    init(adapter: String) {
        self.adapter = adapter
        adapterPath = "/org/bluez/" + adapter
    }

    /// Whether a path is the adapter's, below it, or shared by all adapters.
    func concerns(_ path: String) -> Bool {
        path == "/" || path == "/org/bluez" || isOfAdapter(path)
    }

    func isOfAdapter(_ path: String) -> Bool {
        path == adapterPath || path.hasPrefix(adapterPath + "/")
    }

    /// Whether a path is that of another adapter or below it, or the simulator's own object for channels.
    func isOfOtherAdapter(_ path: String) -> Bool {
        path == "/org/bluejay/kernel" || path.hasPrefix("/org/bluez/hci") && !isOfAdapter(path)
    }

    /// Numbers the device of a path, if it is a new one.
    mutating func meet(_ path: String) {
        guard let device = Self.deviceElement(path, below: adapterPath), devices[device] == nil
        else { return }
        devices[device] = devices.isEmpty ? "dev" : "dev\(devices.count + 1)"
    }

    /// Records the UUID of a service, a characteristic or a descriptor.
    mutating func learn(_ path: String, uuid: String) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let parent = path[...slash]
        let short = UUIDText.short(uuid)
        let taken = attributes.filter {
            $0.key != path && $0.key.hasPrefix(parent)
                && !$0.key.dropFirst(parent.count).contains("/")
        }
        var name = short
        var number = 1
        while taken.values.contains(name) {
            number += 1
            name = "\(short)#\(number)"
        }
        attributes[path] = name
    }

    mutating func forget(_ path: String) {
        attributes[path] = nil
    }

    /// Removes all attributes, because a new bluetoothd may assign other handles.
    mutating func forgetAttributes() {
        attributes = [:]
    }

    /// Returns the name of an object; a foreign path is its own name.
    func name(of path: String) -> String {
        if path == "/org/bluez" { return "org.bluez" }
        guard isOfAdapter(path) else { return path }
        guard let device = Self.deviceElement(path, below: adapterPath) else {
            return adapter + path.dropFirst(adapterPath.count)
        }
        var names = [devices[device] ?? device]
        var walked = "\(adapterPath)/\(device)"
        for element in path.dropFirst(walked.count).split(separator: "/") {
            walked += "/\(element)"
            names.append(attributes[walked] ?? String(element))
        }
        return names.joined(separator: "/")
    }

    /// Returns the name of a device by its address, for example `F0:F1:F2:F3:F4:F5`.
    func name(ofAddress address: String) -> String? {
        devices["dev_" + address.replacing(":", with: "_")]
    }

    private static func deviceElement(_ path: String, below adapterPath: String) -> String? {
        guard path.hasPrefix(adapterPath + "/dev_") else { return nil }
        return path.dropFirst(adapterPath.count + 1).split(separator: "/").first.map(String.init)
    }
}

/// The notation of UUIDs in traces.
enum UUIDText {
    private static let base = "-0000-1000-8000-00805F9B34FB"

    /// Returns the short form of a UUID of the Bluetooth SIG, otherwise the full one; in capitals.
    static func short(_ text: String) -> String {
        let capitals = text.uppercased()
        guard capitals.hasSuffix(base) else { return capitals }
        let digits = capitals.dropLast(base.count)
        return String(digits.hasPrefix("0000") ? digits.dropFirst(4) : digits)
    }

    static func isUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
    }
}
