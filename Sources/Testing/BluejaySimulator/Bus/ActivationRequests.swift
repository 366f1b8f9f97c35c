internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// Tells when a private bus is asked to start bluetoothd.
///
/// The program that the bus starts writes into a pipe; the bus then waits for the name.
final class ActivationRequests {
    /// Where the file of the service is, in the folder of the bus.
    static let folder = "services"

    private let pipe: BusFileDescriptor
    private let source: FileDescriptorSource

    /// Writes the file of the service.
    ///
    /// - Parameters:
    ///   - folder: Of the bus.
    ///   - context: Where `requested` is called.
    ///   - requested: Called for each request.
    /// - Throws: What the file system says.
    init(in folder: URL, on context: MainContext, _ requested: @escaping () -> Void) throws {
        let services = folder.appending(path: Self.folder)
        try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
        let path = folder.appending(path: "activation").path
        let pipe = BusFileDescriptor(owning: try NamedPipe.open(path))
        self.pipe = pipe
        try Self.file(path).write(
            to: services.appending(path: Names.service + ".service"),
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
        // Quoted for the shell, and the backslashes of that for the file.
        let quoted = "'" + path.replacing("'", with: #"'\\''"#) + "'"
        return """
            [D-BUS Service]
            Name=\(Names.service)
            Exec=/bin/sh -c 'echo >"$0"' \(quoted)

            """
    }
}
