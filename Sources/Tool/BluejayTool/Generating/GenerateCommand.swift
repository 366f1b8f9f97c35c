import ArgumentParser
import BluejayCommandLine
import BluejayDeviceFile
import Foundation

/// `bluejay generate`: writes a Swift package with a client of the device in a file.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write a Swift package with a typed client of a device.",
        usage: usage(of: "generate", "<file>"),
        discussion: """
            The package has a client with a method or a stream for each characteristic, the simulated \
            device with the recorded values, and tests that connect them. It depends on the package in \
            ../bluejay; `swift test` runs the tests.

            EXAMPLE: bluejay generate heart.yaml --name HeartSensor
            """
    )

    @Option(
        help: ArgumentHelp(
            "The folder to write, which must be empty or missing. Default: the name of the client.",
            valueName: "folder"
        )
    )
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The name of the client. Default: the name of the device, else that of the file.",
            valueName: "name"
        )
    )
    var name: String?

    @Flag(help: "Replace the files of an earlier run; other files stay.")
    var force = false

    @Argument(
        help: """
            A file in YAML (.yaml, .yml) or JSON, as `bluejay record` writes it; - is standard input, in \
            JSON.
            """
    )
    var file: String

    func validate() throws {
        if output?.isEmpty == true { throw ValidationError("--output requires a folder") }
        if let name, !SwiftName.isUsableType(name) {
            throw ValidationError(
                "--name requires a free name of a Swift type, such as HeartSensor, "
                    + "of at most 32 letters and digits"
            )
        }
    }

    func run() throws {
        do {
            try generate(try DeviceFile.read(file))
        } catch let failure {
            Console.writeErrorLine("bluejay: \(failure.message)")
            throw ExitCode(failure.status.rawValue)
        }
    }

    private func generate(_ file: DeviceFile) throws(ToolFailure) {
        let device = GeneratedDevice(file, named: typeName(of: file))
        let path = output ?? device.typeName
        let folder = try OutputFolder(path, isForced: force)
        let package = GeneratedPackage(device)
        try folder.write(package.files)
        Console.writeErrorLine(
            "bluejay: wrote \(device.typeName) with \(device.members.count) characteristics to "
                + "\(path.printable); `swift test` there runs its tests"
        )
    }

    private func typeName(of device: DeviceFile) -> String {
        let base = URL(filePath: file).deletingPathExtension().lastPathComponent
        return name ?? device.name.flatMap { SwiftName.type($0) }
            ?? (file == "-" ? nil : SwiftName.type(base)) ?? "Device"
    }
}
