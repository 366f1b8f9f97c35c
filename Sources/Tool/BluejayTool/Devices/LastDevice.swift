import BluejayCore
import BluejayGLib
import Foundation

/// The device connected last over one bus, stored in a file of the user.
///
/// Each bus has its own file, because the devices of a simulated BlueZ or of another computer do not exist on
/// this one.
struct LastDevice {
    /// The number of files kept for other buses; a simulated BlueZ has a new address at each start.
    private static let maximumBusCount = 16

    private static let fileName = "last-device"

    private let file: URL
    /// The folder of the bus of a simulated BlueZ, which goes away with the bus.
    private let busFolder: String?

    /// Locates the file by the environment: `bluejay/last-device` in `$XDG_STATE_HOME`, by default
    /// `~/.local/state`.
    ///
    /// For a bus named by `$DBUS_SYSTEM_BUS_ADDRESS`, the file is `last-device-` with a hash of the address.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        busFolder = Self.folder(ofSimulatedBus: environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "")
        file = Self.file(named: Self.fileName, environment: environment)
    }

    /// Locates a file of the bus in the folder of the last device.
    static func file(named name: String, environment: [String: String]) -> URL {
        let bus = suffix(ofBus: environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "")
        return folder(environment).appending(path: name + bus)
    }

    /// Returns the folder for the state of the tool.
    static func folder(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> URL {
        // A relative path must be ignored (XDG Base Directory Specification 0.8).
        let stated = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"] ?? NSHomeDirectory()
        return URL(filePath: stated ?? "\(home)/.local/state").appending(path: "bluejay")
    }

    private static func folder(ofSimulatedBus address: String) -> String? {
        let prefix = "unix:path="
        guard let place = address.split(separator: ",").first, place.hasPrefix(prefix),
            let path = String(place.dropFirst(prefix.count)).removingPercentEncoding
        else { return nil }
        let folder = URL(filePath: path).deletingLastPathComponent()
        return folder.lastPathComponent.hasPrefix("bluejay-bus-") ? folder.path : nil
    }

    private static func suffix(ofBus address: String) -> String {
        // The `guid` changes at each start of the bus.
        let parts = address.split(separator: ",").filter { !$0.hasPrefix("guid=") }
        let place = parts.joined(separator: ",")
        let system = "unix:path=/run/dbus/system_bus_socket"
        guard !["", system, system.replacing("/run", with: "/var/run")].contains(place) else {
            return ""
        }
        // FNV-1a gives the same hash in each run of the program.
        let number = place.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return "-" + String(number, radix: 16)
    }

    /// The stored device, or `nil` if the file does not exist or is malformed.
    var device: PeripheralIdentifier? {
        guard let data = try? Data(contentsOf: file) else { return nil }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", maxSplits: 1)
        // In the file of a simulated BlueZ, the folder of its bus follows.
        guard let first = lines.first?.split(separator: " ", maxSplits: 1).first,
            let uuid = UUID(uuidString: String(first))
        else { return nil }
        let name = lines.dropFirst().first.map { String($0).trimmingCharacters(in: .newlines) }
        return PeripheralIdentifier(uuid: uuid, name: name)
    }

    /// Stores a device; errors are ignored.
    func save(_ device: PeripheralIdentifier) {
        let folder = file.deletingLastPathComponent()
        defer { removeOldest(in: folder) }
        let bus = busFolder.map { " " + $0 } ?? ""
        let text = "\(device.uuid.uuidString)\(bus)\n\(device.name)\n"
        try? PrivateFile(file, ownsFolder: true).write(Data(text.utf8))
    }

    private func removeOldest(in folder: URL) {
        let key = URLResourceKey.contentModificationDateKey
        let files = try? FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: [key]
        ).filter { $0.lastPathComponent.hasPrefix(Self.fileName + "-") && !removeIfBusIsGone($0) }
        guard let files, files.count > Self.maximumBusCount else { return }
        let aged = files.map { file in
            (
                file,
                (try? file.resourceValues(forKeys: [key]))?.contentModificationDate ?? .distantPast
            )
        }.sorted { $0.1 < $1.1 }
        for (file, _) in aged.dropLast(Self.maximumBusCount) { Self.remove(file) }
    }

    /// Removes the file of a simulated BlueZ whose bus has ended, and returns whether it did.
    private func removeIfBusIsGone(_ file: URL) -> Bool {
        guard let data = try? Data(contentsOf: file) else { return false }
        let first = String(decoding: data, as: UTF8.self).prefix { $0 != "\n" }
        let parts = first.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, !FileManager.default.fileExists(atPath: String(parts[1])) else {
            return false
        }
        Self.remove(file)
        return true
    }

    /// Removes the file if it contains this device.
    func forget(_ device: PeripheralIdentifier) {
        if self.device == device { Self.remove(file) }
    }

    /// Removes the file of a last device, and the attributes of that device.
    private static func remove(_ file: URL) {
        let attributes = file.lastPathComponent.replacing(fileName, with: AttributeCache.fileName)
        let folder = file.deletingLastPathComponent()
        for file in [file, folder.appending(path: attributes)] {
            try? FileManager.default.removeItem(at: file)
        }
    }
}
