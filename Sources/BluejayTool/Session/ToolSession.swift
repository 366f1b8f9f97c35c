import Bluejay
import BluejayAsync
import DemoSupport
import Foundation

/// Bluetooth, as a subcommand uses it.
@MainActor
final class ToolSession {
    let bluejay: Bluejay
    let console: Console
    private let ending: Ending
    private let memory: LastDevice

    init(_ adapter: String?, _ console: Console, _ ending: Ending) {
        self.console = console
        self.ending = ending
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
        case .last:
            guard let device = memory.device else {
                throw ToolFailure(.noDevice, "no device was used before; name one")
            }
            console.note("bluejay: using \(device.shown), which was used last")
            return device
        case .identifier(let device): return device
        case .address, .name:
            return try await DeviceSearch(bluejay, argument).found(within: seconds)
        }
    }

    /// Ends the work as done, such as when enough has come.
    func finish() { ending.end(.done) }

    /// Ends the link, and everything that is under way.
    func close() async { _ = try? await bluejay.disconnect(immediate: true) }
}

extension PeripheralIdentifier {
    /// Its name and address, as they may be shown on a terminal.
    var shown: String { "\(name.printable) (\(address ?? uuid.uuidString))" }
}
