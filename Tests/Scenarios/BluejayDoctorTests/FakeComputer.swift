import BluejayDoctor
import Foundation

/// A temporary folder laid out like a computer's file system; removed with its owner.
final class FakeComputer {
    private let folder: URL

    /// The rules of Debian's `bluetooth.conf` about permission to send.
    static let debianPolicy = """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>

          <!-- ../system.conf have denied everything, so we just punch some holes -->

          <policy user="root">
            <allow own="org.bluez"/>
            <allow send_destination="org.bluez"/>
            <allow send_interface="org.bluez.Agent1"/>
          </policy>

          <!-- allow users of bluetooth group to communicate -->
          <policy group="bluetooth">
            <allow send_destination="org.bluez"/>
          </policy>

          <policy context="default">
            <allow send_destination="org.bluez"/>
          </policy>

        </busconfig>
        """

    /// A Debian without any trouble, used by anna.
    static let debian: [String: String] = [
        "/proc/sys/kernel/osrelease": "6.1.0-18-amd64\n",
        "/proc/self/status":
            "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\n"
            + "Groups:\t27 1000 \n",
        "/proc/812/comm": "bluetoothd\n",
        "/proc/812/cmdline": "/usr/libexec/bluetooth/bluetoothd\0",
        "/proc/1/comm": "systemd\n",
        "/proc/1/cgroup": "0::/init.scope\n",
        "/sys/module/bluetooth/refcnt": "1\n",
        "/sys/class/bluetooth/": "",
        "/run/systemd/system/": "",
        "/usr/bin/dbus-daemon": "",
        "/usr/lib/systemd/system/bluetooth.service": "[Unit]\n",
        "/etc/dbus-1/system.d/bluetooth.conf": debianPolicy,
        "/etc/passwd": "root:x:0:0:root:/root:/bin/bash\nanna:x:1000:1000::/home/anna:/bin/bash\n",
        "/etc/group": "root:x:0:\nsudo:x:27:anna\nbluetooth:x:112:\nanna:x:1000:\n",
    ]

    /// - Parameters:
    ///   - files: Texts by path; a path that ends with a slash is a folder.
    ///   - links: The targets of symbolic links, by path.
    /// - Throws: The errors of the file system.
    init(_ files: [String: String] = debian, links: [String: String] = [:]) throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "bluejay-computer-\(UUID().uuidString.prefix(13))")
        for (path, text) in files {
            let file = folder.appending(path: path)
            let parent = path.hasSuffix("/") ? file : file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            if parent != file { try Data(text.utf8).write(to: file) }
        }
        for (path, target) in links {
            let link = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: link.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try FileManager.default.createSymbolicLink(
                atPath: link.path,
                withDestinationPath: target
            )
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func place(of path: String) -> String { folder.path + path }

    var files: FileTree { FileTree(root: folder.path) }
}

extension [String: String] {
    /// A copy with more files, which take precedence.
    func with(_ others: [String: String]) -> [String: String] {
        merging(others) { $1 }
    }
}
