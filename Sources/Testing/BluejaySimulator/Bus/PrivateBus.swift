package import BluejayDBus
package import BluejayGLib
internal import FoundationEssentials
internal import Glibc

/// A private `dbus-daemon`, without other clients.
package final class PrivateBus {
    /// The reason why the bus could not start.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The longest path that libdbus accepts for a socket.
    private static let maximumSocketPathLength = 99

    private let context: MainContext
    private let program: String
    private let folder: URL
    private var process: ChildProcess?
    private var output: BusFileDescriptor?
    private var requests: ActivationRequests?
    private var source: FileDescriptorSource?
    private var printed = ""
    /// Whether another daemon follows the one that has been killed.
    private var isRestarting = false
    private var completion: ((Result<BusAddress, Failure>) -> Void)?

    /// Starts the daemon and reports the address that it prints.
    ///
    /// - Parameters:
    ///   - context: The context that watches the daemon.
    ///   - program: The daemon, looked up in PATH.
    ///   - parent: The folder that contains the bus's own folder; by default `TMPDIR`. If the path of the
    ///     socket becomes too long there, the folder is created in `/tmp`.
    ///   - activation: Called on the context when the bus should start bluetoothd; `nil` disables activation.
    ///   - completion: Called once, on the context.
    /// - Throws: `Failure` if the folder cannot be created or the shell cannot be started.
    package init(
        on context: MainContext,
        program: String = "dbus-daemon",
        in parent: String? = nil,
        activation: (() -> Void)? = nil,
        completion: @escaping (Result<BusAddress, Failure>) -> Void
    ) throws {
        self.context = context
        self.program = program
        self.completion = completion
        let parent = parent.map { URL(filePath: $0, directoryHint: .isDirectory) }
        folder = Self.folder(in: parent ?? FileManager.default.temporaryDirectory)
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw Failure(
                description:
                    "cannot start dbus-daemon: the folder \(folder.path) cannot be created "
                    + "(\(error)); set TMPDIR to a writable folder"
            )
        }
        do {
            if let activation {
                requests = try ActivationRequests(in: folder, on: context, activation)
            }
            let text = Self.configuration(folder.path, isActivating: requests != nil)
            try text.write(to: configurationFile, atomically: true, encoding: .utf8)
            try start()
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw Failure(description: "cannot start dbus-daemon: \(error)")
        }
    }

    deinit {
        stop()
    }

    /// Kills the daemon, which cannot notify its clients.
    func kill() {
        process?.send(signal: SIGKILL)
    }

    /// Kills the daemon and starts another one at the same address.
    ///
    /// The virtual time of the context stands still meanwhile.
    ///
    /// - Parameter completion: Called once, on the context, unless the bus is stopped meanwhile.
    package func restart(_ completion: @escaping (Result<BusAddress, Failure>) -> Void) {
        guard self.completion == nil, process != nil else { return }
        let hold = ClockHold(on: context)
        hold?.startWork()
        self.completion = { result in
            hold?.endWork()
            completion(result)
        }
        source?.cancel()
        printed = ""
        isRestarting = true
        kill()
    }

    /// Ends the daemon and removes its files; later calls do nothing.
    package func stop() {
        source?.cancel()
        source = nil
        requests = nil
        process?.terminate(signal: SIGTERM)
        process = nil
        // The daemon removes its socket when it ends; if the file disappears meanwhile, removing the folder
        // fails.
        try? FileManager.default.removeItem(atPath: Self.socket(in: folder.path))
        try? FileManager.default.removeItem(at: folder)
    }

    private static func folder(in parent: URL) -> URL {
        let name = "bluejay-bus-\(UUID().uuidString.prefix(8))"
        let folder = parent.absoluteURL.appending(path: name)
        guard socket(in: folder.path).utf8.count > maximumSocketPathLength else { return folder }
        return URL(filePath: "/tmp", directoryHint: .isDirectory).appending(path: name)
    }

    private static func socket(in folder: String) -> String { folder + "/socket" }

    private var configurationFile: URL { folder.appending(path: "bus.conf") }

    private func start() throws {
        // The daemon's warnings about limits of the machine matter only if it fails.
        let errors = folder.appending(path: "errors").path
        let process = try ChildProcess(
            [
                "/bin/sh", "-c",
                "exec \"$2\" --config-file=\"$0\" --nofork --print-address=1 2>\"$1\"",
            ]
                + [configurationFile.path, errors, program],
            capturesOutput: true,
            ownSession: true,
            on: context
        ) { [weak self] status in
            guard let self else { return }
            self.process = nil
            if isRestarting {
                isRestarting = false
                do { try start() } catch { fail("\(error)") }
                return
            }
            let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
            fail(Self.reason(program, status, text))
        }
        self.process = process
        guard let descriptor = process.outputDescriptor else { return }
        let output = BusFileDescriptor(owning: descriptor)
        self.output = output
        source = FileDescriptorSource(descriptor, .readable, on: context) { [weak self] _ in
            self?.read(output)
        }
    }

    private func read(_ output: BusFileDescriptor) {
        let bytes = output.read(atMost: 4096)
        printed += String(decoding: bytes, as: UTF8.self)
        // The end of the output is also the end of the process, which its own handler reports.
        if bytes.isEmpty { source?.cancel() }
        guard let end = printed.firstIndex(of: "\n") else { return }
        source?.cancel()
        // Clients of a restarted daemon would refuse its new GUID.
        let address = printed[..<end].split(separator: ",").filter { !$0.hasPrefix("guid=") }
        finish(.success(.address(address.joined(separator: ","))))
    }

    // The shell returns 127 for a program that it cannot find.
    private static func reason(_ program: String, _ status: Int32, _ errors: String) -> String {
        status == 127
            ? "\(program) is not installed, or not in PATH; Debian and Ubuntu: sudo apt-get install dbus"
            : "\(program) exited with status \(status): \(errors)"
    }

    private func fail(_ text: String) {
        let end = text.lastIndex { !$0.isWhitespace }
        let trimmed = end.map { text[...$0] } ?? ""
        finish(.failure(Failure(description: String(trimmed))))
    }

    private func finish(_ result: Result<BusAddress, Failure>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    // All clients may do everything: the bus is as private as its folder.
    private static func configuration(_ folder: String, isActivating: Bool) -> String {
        // Relative to the folder of the file.
        let services = isActivating ? "<servicedir>\(ActivationRequests.folder)</servicedir>" : ""
        return """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <listen>\(BusAddress.socket(socket(in: folder)).text)</listen>
              <auth>EXTERNAL</auth>
              \(services)
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
                <allow eavesdrop="true"/>
              </policy>
              <limit name="max_match_rules_per_connection">5000</limit>
              <limit name="max_replies_per_connection">50000</limit>
            </busconfig>
            """
    }
}
