import Bluejay
import BluejayAsync
import BluejayCommandLine
import Dispatch
import Foundation

/// Bluetooth, as a subcommand uses it.
@MainActor
final class ToolSession {
    let bluejay: Bluejay
    let console: Console
    let input = InputBytes()
    private let ending: ExitCondition
    private let pairing: TerminalPairingHandler
    private let memory: LastDevice
    /// The device that is being connected, or was.
    private var target: PeripheralIdentifier?
    /// Whether the link was there before, so that it is somebody else's.
    private var isShared = false

    init(_ adapter: String?, _ console: Console, _ ending: ExitCondition) {
        self.console = console
        self.ending = ending
        pairing = TerminalPairingHandler(console, input)
        memory = LastDevice()
        bluejay = Bluejay(mainLoop: MainLoop(threadName: "bluetooth"), adapter: adapter)
    }

    /// Starts, and waits until Bluetooth can be used.
    ///
    /// - Throws: `BluejayError.bluetoothUnavailable` when it cannot.
    func start() async throws {
        await bluejay.start()
        _ = try await bluejay.connectedPeripherals()
    }

    /// Starts, finds a device, connects to it and remembers it.
    ///
    /// - Parameters:
    ///   - text: The argument; nil when it was left out.
    ///   - seconds: For the search, and again for the connection.
    /// - Returns: The device, with the name that is known now.
    /// - Throws: As ``find(_:within:)``, or what the library's `connect` fails with.
    @discardableResult
    func connect(_ text: String?, within seconds: Double) async throws -> PeripheralIdentifier {
        let device = try await find(text, within: seconds)
        let desk = pairing
        await bluejay.setPairingHandler { await desk.decide($0, of: $1) }
        isShared = try await bluejay.connectedPeripherals().contains(device)
        target = device
        let peripheral = try await bluejay.connect(device, timeout: .seconds(seconds))
        memory.remember(peripheral)
        return peripheral
    }

    /// Starts and finds a device.
    ///
    /// - Parameters:
    ///   - text: The argument; nil when it was left out.
    ///   - seconds: For the search.
    /// - Returns: What to connect to.
    /// - Throws: ``ToolFailure`` when nobody fits, or `BluejayError.bluetoothUnavailable`.
    func find(_ text: String?, within seconds: Double) async throws -> PeripheralIdentifier {
        let argument = try DeviceArgument(text)
        try await start()
        switch argument {
        case .last: return try last()
        case .identifier(let device): return device
        case .address, .name:
            return try await DeviceSearch(bluejay, argument).found(within: seconds)
        }
    }

    /// Starts, and forgets a device that bluetoothd knows.
    ///
    /// - Parameter text: The argument.
    /// - Returns: The device that is forgotten.
    /// - Throws: ``ToolFailure`` when nobody fits, or what the library's `forget` fails with.
    func forget(_ text: String) async throws -> PeripheralIdentifier {
        let argument = try DeviceArgument(text)
        try await start()
        let wanted = argument == .last ? .identifier(try last()) : argument
        guard let device = try await DeviceSearch(bluejay, wanted).known() else {
            throw ToolFailure(.noDevice, "no device \(wanted) is known here")
        }
        try await bluejay.forget(device)
        memory.forget(device)
        return device
    }

    private func last() throws -> PeripheralIdentifier {
        guard let device = memory.device else {
            throw ToolFailure(.noDevice, "no device was used before; name one")
        }
        console.note("bluejay: using \(device.shown), which was used last")
        return device
    }

    /// Pairs with the connected device, and remembers what it is called from then on.
    ///
    /// - Returns: The device; one with a private address has its real one now.
    /// - Throws: What the library's `pair` fails with.
    func pair() async throws -> PeripheralIdentifier {
        pairing.isWanted = true
        try await bluejay.pair()
        let peripheral = try await bluejay.peripheralDetails().peripheral
        memory.remember(peripheral)
        return peripheral
    }

    /// The services of the connected device.
    ///
    /// - Throws: ``ToolFailure`` when the link is gone.
    func services() async throws -> [PeripheralService] { try await bluejay.connectedServices() }

    /// Says when it is enough, from now on; nil is never.
    func end(after seconds: Double?) { ending.end(after: seconds) }

    /// Ends everything that is under way, and the link; one that was there before stays.
    func close() async {
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
    /// Waits until the link of a cancelled attempt is gone, for at most two seconds.
    ///
    /// The library disconnects when the discovery of the services has ended, which takes a moment; a device
    /// that never answers it would take half a minute.
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
    /// The services of the connected device, which are never empty because the link has dropped.
    ///
    /// - Throws: ``ToolFailure`` when the link is gone.
    func connectedServices() async throws -> [PeripheralService] {
        try await onLoop { bluejay in
            guard bluejay.isConnected else {
                throw ToolFailure("the link was lost right after the connection; try again")
            }
            return bluejay.services
        }
    }
}

extension PeripheralIdentifier {
    /// Its name and address, as they may be shown on a terminal.
    var shown: String { "\(name.printable) (\(address ?? uuid.uuidString))" }
}
