internal import BluejayGLib
internal import Foundation

/// A `dbus-daemon` for one test, which the test can kill, freeze and restart at the same address.
package final class TestBus {
    /// The reason why the bus did not start.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The address, the same after each start.
    package let address: String
    private let loop: TestLoop
    private let folder: URL
    private var process: ChildProcess?

    /// Starts a bus and waits until it listens.
    ///
    /// - Parameters:
    ///   - loop: Runs meanwhile.
    ///   - rules: XML elements after those that allow everything.
    /// - Throws: `Failure` with the message of the daemon, or an error of the file system.
    package init(_ loop: TestLoop, rules: String = "") throws {
        self.loop = loop
        let name = "bluejay-test-\(UUID().uuidString.prefix(13))"
        folder = FileManager.default.temporaryDirectory.appending(path: name)
        address = "unix:path=\(folder.path)/socket"
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.configuration(address, rules).write(
            to: folder.appending(path: "bus.conf"),
            atomically: true,
            encoding: .utf8
        )
        try start()
    }

    deinit {
        process?.terminate(signal: SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    package func start() throws {
        let errors = folder.appending(path: "errors").path
        let command = "exec dbus-daemon --config-file=\"$0\" --nofork --print-address=1 2>\"$1\""
        var isListening = false
        var status: Int32?
        let process = try ChildProcess(
            ["sh", "-c", command, folder.appending(path: "bus.conf").path, errors],
            capturesOutput: true,
            on: loop.context
        ) { [weak self] in
            status = $0
            self?.process = nil
        }
        self.process = process
        guard let descriptor = process.outputDescriptor else { return }
        let output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let source = FileDescriptorSource(descriptor, .readable, on: loop.context) { _ in
            isListening = true
        }
        try loop.wait(for: "the bus to listen") { isListening || status != nil }
        source.cancel()
        try output.close()
        if let status {
            let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
            throw Failure(description: "dbus-daemon ended with status \(status): \(text)")
        }
    }

    /// Kills the daemon and waits until it has ended.
    package func kill() throws {
        process?.send(signal: SIGKILL)
        try loop.wait(for: "the bus to end") { [self] in process == nil }
    }

    /// The process ID of the daemon; 0 if it does not run.
    package var processID: Int32 { process?.processID ?? 0 }

    /// Stops the daemon, so that it keeps its connections but answers no call.
    package func freeze() {
        process?.send(signal: SIGSTOP)
    }

    package func thaw() {
        process?.send(signal: SIGCONT)
    }

    private static func configuration(_ address: String, _ rules: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <listen>\(address)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_destination="*"/>
            <allow send_type="signal"/>
            <allow send_requested_reply="true"/>
            <allow receive_type="method_call"/>
            <allow receive_type="method_return"/>
            <allow receive_type="error"/>
            <allow receive_type="signal"/>
            \(rules)
          </policy>
          <limit name="max_replies_per_connection">50000</limit>
        </busconfig>
        """
    }
}
