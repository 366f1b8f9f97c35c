import Bluejay
import BluejayAsync
import BluejayCommandLine
import Dispatch
import Foundation

/// The connection to Bluetooth for one subcommand.
@MainActor
final class ToolSession {
    let bluejay: Bluejay
    let console: Console
    private(set) var input = InputBytes()
    private let exitCondition: ExitCondition
    private let pairing: TerminalPairingHandler
    private let lastDevice: LastDevice
    /// Answers pairing requests instead of the user's lines; set before the connection.
    var pairingHandler: (@Sendable (PairingRequest, PeripheralIdentifier) async -> PairingDecision)?
    /// The device of the current or last connection.
    private var target: PeripheralIdentifier?
    /// The device of the current or last connection, with its name and its address after pairing.
    private(set) var peripheral: PeripheralIdentifier?
    /// The connected device with its current name, for lines of JSON.
    var device: OutputDevice? { peripheral.map { OutputDevice($0) } }
    /// Whether the link existed before, so that another program may be using it.
    private var isShared = false
    private var isClosed = false

    init(_ adapter: String?, _ console: Console, _ ending: ExitCondition) {
        self.console = console
        self.exitCondition = ending
        pairing = TerminalPairingHandler(console, input)
        lastDevice = LastDevice()
        bluejay = Bluejay(mainLoop: MainLoop(threadName: "bluetooth"), adapter: adapter)
    }

    /// Starts, and waits until Bluetooth is available.
    ///
    /// - Throws: `BluejayError.bluetoothUnavailable`.
    func start() async throws {
        await bluejay.start()
        _ = try await bluejay.connectedPeripherals()
    }

    /// Starts, finds a device, connects to it and remembers it.
    ///
    /// The time limit applies to the search, and again to the connection. The returned device has its current
    /// name.
    ///
    /// - Throws: The errors of ``find(_:within:for:)`` and of the library's `connect`.
    @discardableResult
    func connect(
        _ text: String?,
        within seconds: Double,
        for use: DeviceArgument.Use = .reading
    ) async throws -> PeripheralIdentifier {
        if ShellTask.session != nil, let peripheral {
            if bluejay.isConnected { return peripheral }
            console.writeError("bluejay: not connected; connecting again")
        }
        let device = try await find(text, within: seconds, for: use)
        return try await connect(to: device, within: seconds)
    }

    /// Connects to a device and remembers it; this session has started.
    ///
    /// - Throws: The errors of the library's `connect`.
    func connect(
        to device: PeripheralIdentifier,
        within seconds: Double
    ) async throws -> PeripheralIdentifier {
        let handler = pairing
        await bluejay.setPairingHandler(
            pairingHandler ?? { await handler.decide($0, of: $1) }
        )
        isShared = try await bluejay.connectedPeripherals().contains(device)
        target = device
        let peripheral = try await bluejay.connect(device, timeout: .seconds(seconds))
        lastDevice.save(peripheral)
        self.peripheral = peripheral
        if let services = try? await services() { AttributeCache().save(services, of: peripheral) }
        return peripheral
    }

    /// Starts and finds a device; `nil` means the device used last.
    ///
    /// The device is named on standard error unless the argument is its whole name, address or identifier.
    ///
    /// - Throws: ``ToolFailure`` if no single device matches, or `BluejayError.bluetoothUnavailable`.
    func find(
        _ text: String?,
        within seconds: Double,
        for use: DeviceArgument.Use = .reading
    ) async throws -> PeripheralIdentifier {
        let argument = try DeviceArgument(text)
        try await start()
        switch argument {
        case .last: return try last()
        case .identifier(let device): return device
        case .address, .name:
            let device = try await DeviceSearch(bluejay, argument, for: use).find(within: seconds)
            if argument.matchQuality(device) < .exact {
                console.writeError("bluejay: using \(device.displayText)")
            }
            return device
        }
    }

    /// Starts, and forgets a device that bluetoothd knows.
    ///
    /// - Throws: ``ToolFailure`` if no single device matches, or an error of the library's `forget`.
    func forget(_ text: String) async throws -> PeripheralIdentifier {
        let argument = try DeviceArgument(text)
        try await start()
        let target = argument == .last ? .identifier(try last()) : argument
        let device = try await DeviceSearch(bluejay, target, for: .changing).known()
        try await bluejay.forget(device)
        lastDevice.forget(device)
        return device
    }

    private func last() throws -> PeripheralIdentifier {
        guard let device = lastDevice.device else {
            throw ToolFailure(.noDevice, "no previous device; specify one")
        }
        console.writeError("bluejay: using the last device, \(device.displayText)")
        return device
    }

    /// Pairs with the connected device, and remembers its current name.
    ///
    /// A private address is now replaced by the identity.
    func pair() async throws -> PeripheralIdentifier {
        pairing.isRequested = true
        try await bluejay.pair()
        let peripheral = try await bluejay.peripheralDetails().peripheral
        lastDevice.save(peripheral)
        self.peripheral = peripheral
        return peripheral
    }

    /// Returns the failure to report for an error; a rejected pairing is the reason of the errors it causes.
    func failure(for error: any Error) -> ToolFailure {
        let consequences: [BluejayError.Code] = [
            .notPaired, .pairingFailed, .pairingRejected, .attribute,
        ]
        guard let rejection = pairing.rejection, let error = error as? BluejayError,
            consequences.contains(error.code)
        else { return ToolFailure(error) }
        return rejection
    }

    /// Returns the services of the connected device.
    func services() async throws -> [PeripheralService] { try await bluejay.connectedServices() }

    /// Returns the handles of the attributes of the connected device.
    func handles() async -> AttributeHandles { await bluejay.onLoop { $0.attributeHandles } }

    /// Writes a line of JSON about the connected device.
    func record(_ content: some RecordContent) throws { try console.record(content, of: device) }

    /// Sets a time limit from now on; `nil` is unlimited.
    ///
    /// At the limit the link ends. Nothing received before is dropped: the command ends by itself.
    ///
    /// - Parameters:
    ///   - seconds: The time limit.
    ///   - finish: Ends the stream of the command, unless the end of the link does.
    func end(
        after seconds: Double?,
        finish: @escaping @MainActor () async -> Void = {}
    ) {
        (exitCondition.command ?? exitCondition).end(after: seconds, finish)
    }

    /// Whether Ctrl-C ends only the running subcommand of a shell.
    var keepsInterrupts: Bool {
        get { exitCondition.keepsInterrupts }
        set { exitCondition.keepsInterrupts = newValue }
    }

    /// Begins a subcommand of a shell, and returns the condition that ends it.
    func beginCommand() -> ExitCondition {
        // The end of the input, which the user types, ends the subcommand alone.
        if keepsInterrupts {
            input.close()
            input = InputBytes()
            pairing.input = input
        }
        let command = ExitCondition(watchesSignals: false)
        exitCondition.command = command
        return command
    }

    func endCommand() {
        exitCondition.command = nil
        pairing.isRequested = false
    }

    /// Ends all operations and the link; a link that existed before stays.
    func close() async {
        guard !isClosed else { return }
        isClosed = true
        input.close()
        guard isShared else {
            let wasConnecting = bluejay.isConnecting
            _ = try? await bluejay.disconnect(immediate: true)
            if wasConnecting { await waitForDisconnect() }
            return
        }
        await bluejay.cancelEverything(shouldDisconnect: false)
        await bluejay.stopAndExtractBluetoothState()
    }
}

extension ToolSession {
    /// Waits for work that must end even after a signal; after the limit the work continues by itself.
    func wait(
        atMost duration: DispatchTimeInterval,
        for work: @escaping @MainActor () async -> Void
    ) async {
        let (ends, continuation) = AsyncStream<Void>.makeStream()
        Task {
            await work()
            continuation.finish()
        }
        DispatchQueue.main.asyncAfter(deadline: .now() + duration) { continuation.finish() }
        // The cancellation of this task does not cancel an unstructured one.
        await Task { for await _ in ends {} }.value
    }

    /// Waits until the link of a cancelled attempt has ended, for at most two seconds.
    ///
    /// The library disconnects after service discovery has ended, which takes a moment; with a device that
    /// never answers, it would take half a minute.
    private func waitForDisconnect() async {
        guard let target else { return }
        for _ in 0..<20 {
            let connected = try? await bluejay.connectedPeripherals()
            guard connected?.contains(target) == true else { return }
            await withCheckedContinuation { continuation in
                DispatchQueue.main.asyncAfter(deadline: .now() + 0.1) { continuation.resume() }
            }
        }
    }
}

extension Bluejay {
    /// Returns the services of the connected device.
    ///
    /// - Throws: ``ToolFailure`` if the link is lost, when the list would be empty.
    func connectedServices() async throws -> [PeripheralService] {
        try await onLoop { bluejay in
            guard bluejay.isConnected else {
                throw ToolFailure("the connection was lost immediately; try again")
            }
            return bluejay.services
        }
    }
}

extension PeripheralIdentifier {
    /// The name and address, safe for a terminal.
    var displayText: String { "\(name.printable) (\(address ?? uuid.uuidString))" }
}
