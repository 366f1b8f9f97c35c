import ArgumentParser
import BluejayCommandLine
import Dispatch
import Foundation
import MeshPeer

import enum BluejayCore.BluejayVersion

/// A node of a mesh; see `Documentation/MeshPeer.md`.
@main
struct MeshNodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mesh-node",
        abstract: "Run a node of a mesh: central and peripheral at once.",
        discussion: """
            The node advertises, connects to the nodes in range and greets them. It shows the roles of \
            each peer: the node is connected to a peripheral, and a central has subscribed to the node. \
            Each line of standard input is sent to all peers. Received files have at most 1 MiB, and \
            are discarded without --save. It ends with Ctrl-C or after --for.

            Commands on standard input:
              /who        list the peers
              /send FILE  send a file to all peers
              /quit       end the node

            With --restore the node waits for Bluetooth. If the node was killed, or ended by SIGTERM, the \
            next run with the same identifier reconnects to its peers without a scan.

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "the node was advertised, and --expect was met",
        failure: "Bluetooth is not available, or --expect was not met"
    )

    @OptionGroup var options: RunOptions

    @Option(help: "The name that peers see, at most 20 bytes of UTF-8.")
    var name = "Node"

    @Option(
        help: ArgumentHelp("Send this file to each peer.", valueName: "file"),
        transform: { try Self.file($0) }
    )
    var send: SentFile?

    @Option(help: ArgumentHelp("Save received files in this folder.", valueName: "folder"))
    var save: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Fail unless this many nodes have sent a message and received the file of --send.",
            valueName: "nodes"
        )
    )
    var expect = 0

    @Option(
        help: ArgumentHelp(
            "Continue with the peers of an earlier run with this name.",
            valueName: "identifier"
        )
    )
    var restore: String?

    @Flag(help: "Send a line to all peers every 5 s.")
    var auto = false

    func validate() throws {
        guard !name.isEmpty, name.utf8.count <= 20 else {
            throw ValidationError("--name takes 1 to 20 bytes of UTF-8")
        }
        guard (0...100).contains(expect) else {
            throw ValidationError("--expect takes a number from 0 to 100")
        }
    }

    func run() throws {
        try MainActor.assumeIsolated { try play() }
    }

    @MainActor
    private func play() throws {
        let end: @Sendable () -> Void = { MainLoop.main.stop() }
        let output = Output(onClosed: end)
        let display = NodeDisplay(isJSON: options.json, terminal: Terminal(), output: output)
        let session = NodeSession(sessionOptions, display, end: end)
        if let seconds = options.seconds {
            DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: end)
        }
        let terminated = restore.map { _ in exitAtTermination() }
        let input = StandardInput { line in MainActor.assumeIsolated { session.typed(line) } }
        session.start()
        if auto { session.sendRegularly() }
        SystemdService.startWatchdog(on: .main)
        SystemdService.notify(.ready)
        MainLoop.main.run()
        SystemdService.notify(.stopping)
        terminated?.cancel()
        input.cancel()
        session.stop()
        if let failure = session.failure {
            FileHandle.standardError.write(Data("mesh-node: \(failure)\n".utf8))
            throw ExitCode.failure
        }
    }

    private var sessionOptions: NodeSession.Options {
        NodeSession.Options(
            name: name,
            adapter: options.adapter,
            restoreIdentifier: restore,
            file: send,
            folder: save.map { URL(filePath: $0, directoryHint: .isDirectory) },
            expectedPeers: expect
        )
    }

    /// Exits at SIGTERM and leaves the links, which bluetoothd keeps, for the next run.
    private func exitAtTermination() -> any DispatchSourceSignal {
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
        source.setEventHandler { Foundation.exit(EXIT_SUCCESS) }
        source.resume()
        return source
    }

    private static func file(_ path: String) throws -> SentFile {
        do {
            return try SentFile(path: path)
        } catch {
            throw ValidationError("--send cannot read \(path.printable): \(error)")
        }
    }
}
