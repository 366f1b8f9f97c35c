import ArgumentParser
import Bluejay
import BluejayAsync
import BluejayCommandLine

/// `bluejay adapters`: lists the Bluetooth adapters of this machine.
struct AdaptersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters",
        abstract: "Show the adapters of this machine, on or off.",
        usage: usage(of: "adapters"),
        discussion: """
            EXAMPLE: bluejay adapters --json
            """
    )

    private static let table = TextTable([
        .init("NAME", minimum: 4, isNeeded: true),
        .init("ADDRESS", minimum: 17, isNeeded: true),
        .init("POWER", minimum: 5, isNeeded: true),
        .init("ALIAS", minimum: 8),
        .init("CAN", minimum: 12),
    ])

    @Flag(help: "Write JSON, one object per line.")
    var json = false

    @MainActor
    func run() async throws {
        try await runTool(on: nil) { session in
            await session.bluejay.start()
            let adapters = try await session.bluejay.listAdapters()
            let console = session.console
            guard !adapters.isEmpty else { throw BluejayError.bluetoothUnavailable(.noAdapter) }
            if json { return try adapters.forEach { try console.record(AdapterJSON($0)) } }
            var lines = Self.lines(adapters, width: console.columns)
            lines[0] = console.terminal.styled(lines[0], .bold)
            lines.forEach(console.line)
        }
    }

    static func lines(_ adapters: [BluetoothAdapter], width: Int?) -> [String] {
        let rows = adapters.map { adapter in
            [
                adapter.name, adapter.address, adapter.power, adapter.alias.printable,
                adapter.features.names.joined(separator: ", "),
            ]
        }
        return table.lines(rows, width: width)
    }
}

private struct AdapterJSON: RecordContent {
    static let type = RecordType.adapter
    let address: String
    let alias: String
    let blueZVersion: String?
    let can: [String]
    let discovering: Bool
    let name: String
    let power: String

    init(_ adapter: BluetoothAdapter) {
        address = adapter.address
        alias = adapter.alias
        blueZVersion = adapter.bluezVersion?.description
        can = adapter.features.names
        discovering = adapter.isDiscovering
        name = adapter.name
        power = adapter.power
    }
}

extension BluetoothAdapter {
    fileprivate var power: String { isPowered ? "on" : isBlocked ? "blocked" : "off" }
}

extension BluetoothAdapter.Features {
    fileprivate var names: [String] {
        let all: [(Self, String)] = [
            (.central, "connect"), (.peripheral, "be a peripheral"),
            (.centralAndPeripheral, "both"),
            (.advertising, "advertise"), (.advertisementMonitors, "monitor"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
