import BluejayCore
import Foundation

/// The device that was connected last, in a file of the user.
struct LastDevice {
    private let file: URL

    /// The file that the environment says: `bluejay/last-device` under `$XDG_STATE_HOME`, which is
    /// `~/.local/state` when it is not set.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        // A path that is not absolute is to be ignored (XDG Base Directory Specification 0.8).
        let stated = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"] ?? NSHomeDirectory()
        file = URL(filePath: stated ?? "\(home)/.local/state").appending(
            path: "bluejay/last-device"
        )
    }

    /// The device; nil when there was none, or somebody else has written the file.
    var device: PeripheralIdentifier? {
        guard let data = try? Data(contentsOf: file) else { return nil }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", maxSplits: 1)
        guard let first = lines.first, let uuid = UUID(uuidString: String(first)) else {
            return nil
        }
        let name = lines.dropFirst().first.map { String($0).trimmingCharacters(in: .newlines) }
        return PeripheralIdentifier(uuid: uuid, name: name)
    }

    /// Writes a device down; where that is not possible nothing is remembered.
    func remember(_ device: PeripheralIdentifier) {
        let folder = file.deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try? Data("\(device.uuid.uuidString)\n\(device.name)\n".utf8).write(
            to: file,
            options: .atomic
        )
    }

    /// Forgets a device, if it is this one.
    func forget(_ device: PeripheralIdentifier) {
        if self.device == device { try? FileManager.default.removeItem(at: file) }
    }
}
