internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// Reports requests to start bluetoothd on a private bus.
///
/// The program that the bus starts writes to a pipe; the bus then waits for the name.
final class ActivationRequests {
    /// The subfolder of the bus that contains the service file.
    static let folder = "services"

    private let pipe: BusFileDescriptor
    private let source: FileDescriptorSource

    /// Writes the service file; `requested` is called on the context for each request.
    init(in folder: URL, on context: MainContext, _ requested: @escaping () -> Void) throws {
        let services = folder.appending(path: Self.folder)
        try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
        let path = folder.appending(path: "activation").path
        let pipe = BusFileDescriptor(owning: try NamedPipe.open(path))
        self.pipe = pipe
        try Self.file(path).write(
            to: services.appending(path: BlueZNames.service + ".service"),
            atomically: true,
            encoding: .utf8
        )
        source = FileDescriptorSource(pipe.number, .readable, on: context) { _ in
            if !pipe.read(atMost: 64).isEmpty { requested() }
        }
    }

    deinit {
        source.cancel()
    }

    private static func file(_ path: String) -> String {
        // Quoted for the shell; its backslashes are escaped for the file.
        let quoted = "'" + path.replacing("'", with: #"'\\''"#) + "'"
        return """
            [D-BUS Service]
            Name=\(BlueZNames.service)
            Exec=/bin/sh -c 'echo >"$0"' \(quoted)

            """
    }
}
