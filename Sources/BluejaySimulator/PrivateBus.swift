internal import BluejayDBus
package import BluejayGLib
internal import Foundation

/// A dbus-daemon of its own, with a socket in a temporary folder.
package final class PrivateBus {
    /// Why there is no bus.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The address, as D-Bus writes addresses.
    package let address: String
    private let folder: URL
    private var process: ChildProcess?
    private var output: DescriptorSource?
    private var ready: ((Failure?) -> Void)?

    /// Starts the daemon; `ready` is called once, with nil when it listens.
    package init(on context: MainContext, ready: @escaping (Failure?) -> Void) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("bluez-simulator-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let socket = folder.appendingPathComponent("bus").path
        address = "unix:path=\(socket)"
        self.ready = ready
        let configuration = folder.appendingPathComponent("bus.conf")
        try Self.configuration(socket).write(to: configuration, atomically: true, encoding: .utf8)
        let arguments = [
            "dbus-daemon", "--nofork", "--nopidfile", "--print-address",
            "--config-file=\(configuration.path)",
        ]
        do {
            // As root without the right to it, it complains that it may not raise a limit.
            let process = try ChildProcess(
                arguments,
                capturesOutput: true,
                hidesErrors: true,
                on: context
            ) {
                [weak self] status in
                self?.process = nil
                self?.tell(Failure(description: "dbus-daemon ended with \(status)"))
            }
            self.process = process
            listen(process, context)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw Failure(
                description: "dbus-daemon cannot be started (\(error)); "
                    + "sudo apt-get install dbus-daemon"
            )
        }
    }

    deinit {
        stop()
    }

    /// Ends the daemon and removes its files.
    package func stop() {
        output?.cancel()
        output = nil
        process?.send(signal: SIGTERM)
        process = nil
        try? FileManager.default.removeItem(at: folder)
    }

    // It prints its address when it listens.
    private func listen(_ process: ChildProcess, _ context: MainContext) {
        guard let descriptor = process.outputDescriptor else { return }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        output = DescriptorSource(descriptor, .readable, on: context) { [weak self] _ in
            let text = handle.availableData
            self?.output?.cancel()
            self?.output = nil
            if !text.isEmpty { self?.tell(nil) }
        }
    }

    private func tell(_ failure: Failure?) {
        let ready = ready
        self.ready = nil
        ready?(failure)
    }

    private static func configuration(_ socket: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
          "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>system</type>
          <listen>unix:path=\(socket)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_type="method_call"/>
            <allow send_type="signal"/>
            <allow send_requested_reply="true" send_type="method_return"/>
            <allow send_requested_reply="true" send_type="error"/>
            <allow receive_type="method_call"/>
            <allow receive_type="method_return"/>
            <allow receive_type="error"/>
            <allow receive_type="signal"/>
            <allow send_destination="*" eavesdrop="true"/>
          </policy>
        </busconfig>
        """
    }
}
