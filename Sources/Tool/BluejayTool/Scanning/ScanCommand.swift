import ArgumentParser
import Bluejay
import BluejayAsync
import BluejayCommandLine
import BluejayCore

/// `bluejay scan`: lists nearby devices.
struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show the devices in range.",
        usage: usage(of: "scan"),
        discussion: """
            On a terminal the command shows a table that updates until Ctrl-C: the strongest first, with \
            the seconds since the last advertisement and the number of advertisements. At its end the table \
            lists all devices. Elsewhere the command prints a line for each new device: address, dBm, name, \
            services, manufacturer data and connected, separated by tabs. With --for the exit status is 3 \
            if no device was found.

            EXAMPLE: bluejay scan --service heart-rate --rssi -70 --for 10
            """
    )

    @OptionGroup var options: ToolOptions

    @Option(
        help: "Only devices with this service: a UUID or an assigned name. May be repeated.",
        completion: .services
    )
    var service: [String] = []

    @Option(help: "Only devices whose names begin with this text, in any case.")
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only devices with at least this RSSI, in dBm: -70.", valueName: "dBm")
    )
    var rssi: Int?

    @Option(
        name: .customLong("for"),
        parsing: .unconditional,
        help: ArgumentHelp("End after this many seconds.", valueName: "seconds")
    )
    var seconds: Double?

    @Flag(help: "Print every advertisement instead of each device once; not for the table.")
    var every = false

    func validate() throws {
        try requireSeconds(seconds, of: "--for")
        _ = try filter
    }

    private var filter: ScanFilter {
        get throws {
            let services = try service.map { text in
                guard let uuid = AttributeReference(text).assigned else {
                    throw ValidationError("--service takes a UUID or an assigned name, not \(text)")
                }
                return ServiceIdentifier(uuid: uuid)
            }
            var filter = ScanFilter.anyService(services)
            if let name {
                let argument = DeviceArgument.name(name)
                filter = filter && .where { argument.matchQuality(ScanRow($0).named) > .noMatch }
            }
            if let rssi { filter = filter && .minimumRSSI(rssi) }
            return filter
        }
    }

    @MainActor
    func run() async throws {
        let filter = try filter
        try await runTool(on: options.adapter) { session in
            try await session.start()
            let connected = try await session.bluejay.knownPeripherals()
                .filter(\.isConnected).map(ScanRow.init)
                .filter { filter.matches($0.discovery) }
            if options.json || !session.console.isInteractive {
                try await report(connected, filter, session)
            } else {
                try await draw(connected, filter, session)
            }
        }
    }

    /// Writes a line for each discovery.
    @MainActor
    private func report(
        _ connected: [ScanRow],
        _ filter: ScanFilter,
        _ session: ToolSession
    ) async throws {
        let discoveries = session.bluejay.scan(
            matching: filter,
            duration: seconds ?? 0,
            allowDuplicates: every
        )
        for device in connected { try write(device, session.console) }
        let connectedIDs = Set(connected.map(\.identifier))
        let open = ConnectedDevices(connected, session.bluejay)
        defer { open.end() }
        if every { open.follow { try? write($0, session.console) } }
        var isEmpty = connected.isEmpty
        for try await discovery in discoveries {
            isEmpty = false
            open.stopFollowing(discovery)
            if connectedIDs.contains(discovery.peripheralIdentifier), !every { continue }
            try write(ScanRow(discovery), session.console)
            await session.console.waitForRoom()
        }
        if isEmpty { try reportNothing() }
    }

    /// Throws the failure of a scan that ended by itself and found nothing.
    private func reportNothing() throws {
        guard let seconds else { return }
        let isFiltered = name != nil || rssi != nil || !service.isEmpty
        throw ToolFailure(
            .noDevice,
            "no \(isFiltered ? "matching " : "")device found within \(seconds.formatted) s; "
                + "check that it is on, in range and advertising"
        )
    }

    @MainActor
    private func write(_ device: ScanRow, _ console: Console) throws {
        if options.json {
            try console.record(DiscoveryJSON(device), of: device.outputDevice)
        } else {
            console.line(device.line)
        }
    }

    /// Draws the table until the end of the scan, and then all devices.
    @MainActor
    private func draw(
        _ connected: [ScanRow],
        _ filter: ScanFilter,
        _ session: ToolSession
    ) async throws {
        let display = ScanDisplay(session.console)
        let discoveries = session.bluejay.scan(
            matching: filter,
            duration: seconds ?? 0,
            allowDuplicates: true
        )
        defer { display.finish() }
        for device in connected { display.update(device, isReport: false) }
        let open = ConnectedDevices(connected, session.bluejay)
        defer { open.end() }
        open.follow { display.update($0, isReport: false) }
        for try await discovery in discoveries {
            open.stopFollowing(discovery)
            display.update(ScanRow(discovery), isReport: true)
        }
        if display.isEmpty { try reportNothing() }
    }
}
