import ArgumentParser
import Bluejay
import BluejayAsync
import BluejayStreams
import Foundation

/// `bluejay write`: writes one value, a long one in parts.
struct WriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write a value to a device.",
        usage: usage(of: "write", "<device> <characteristic>", "<value>"),
        discussion: """
            @FILE is the content of a file, @- that of standard input, @@ a text that begins with @. A \
            value longer than one write is sent in several writes: of 512 bytes with response, otherwise of \
            the limit of the link. Put -- before a value that begins with -.

            EXAMPLE: bluejay write Lock FFE1 --as uint8 1
            """
    )

    @OptionGroup var options: DeviceOptions

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The format of the value.", valueName: "format")
    )
    var format = InputFormat.hex

    @Flag(help: "Write without response.")
    var withoutResponse = false

    @Argument(help: requiredDeviceHelp, completion: .devices)
    var device: String

    @Argument(
        help: "Its UUID or its name, or a descriptor of it, as for read.",
        completion: .characteristics
    )
    var characteristic: String

    @Argument(help: "In the format of --as, or @FILE.")
    var value: String

    @MainActor
    func run() async throws {
        // Otherwise invalid text is rejected before the connection.
        let typed = format == .name ? nil : try InputValue.bytes(of: value, as: format)
        let type: WriteType = withoutResponse ? .withoutResponse : .withResponse
        try await runTool(on: options.tool.adapter) { session in
            try await session.connect(
                device,
                within: options.timeout,
                for: .changing
            )
            let target = try await session.attribute(CharacteristicReference(characteristic))
            if target.descriptor != nil, withoutResponse {
                throw ToolFailure("a descriptor is written with response; omit --without-response")
            }
            let value = try typed ?? InputValue.bytes(of: value, as: format, for: target.uuid)
            let parts = try await session.parts(of: value, for: target, type: type)
            let progress = WriteProgress(value.count, inParts: parts.count)
            for part in parts {
                try await session.write(part, to: target, type: type)
                progress.add(part.count)
            }
            if options.tool.json {
                try session.record(
                    WriteResultJSON(
                        attribute: CharacteristicRecord(target, await session.handles()),
                        value: value,
                        writes: parts.count
                    )
                )
            }
        }
    }
}

/// The progress of a write, shown on a terminal at standard error if it takes more than one part.
@MainActor
private final class WriteProgress {
    private let bar: ProgressBar
    private let isShown: Bool
    private var completedCount = 0

    init(_ total: Int, inParts count: Int) {
        bar = ProgressBar(total: total)
        isShown = count > 1 && isatty(STDERR_FILENO) == 1
    }

    func add(_ count: Int) {
        completedCount += count
        guard isShown else { return }
        let columns = StandardStreams.terminalSize(of: STDERR_FILENO)?.columns ?? 80
        let end = completedCount == bar.total ? "\n" : ""
        let text = "\r" + bar.line(completedCount, width: columns - 1) + end
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
