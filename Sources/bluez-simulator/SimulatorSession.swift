import BluejayGLib
import BluejaySimulator
import Dispatch
import Foundation

/// One run of the command: the bus, the BlueZ, and the child.
///
/// It is used on the main context only.
final class SimulatorSession: @unchecked Swift.Sendable {
    private let options: SimulatorOptions
    private let hasSensor: Bool
    private let command: [String]
    private var system: SystemStarter.Started?
    private var child: ChildProcess?
    private var signals: [any DispatchSourceSignal] = []

    /// What the program ends with.
    private(set) var status: Int32 = 0

    init(_ options: SimulatorOptions, hasSensor: Bool, command: [String]) {
        self.options = options
        self.hasSensor = hasSensor
        self.command = command
    }

    func start() {
        handleSignals()
        SystemStarter.start(options, on: .main) { [self] result in
            switch result {
            case .failure(let failure): fail("\(failure)", status: 69)
            case .success(let started):
                system = started
                if hasSensor { started.world.add(.heartRateSensor()) }
                run(busAddress: started.bus.address)
            }
        }
    }

    func stop() {
        system?.bus.stop()
        system = nil
    }

    private func run(busAddress: String) {
        guard !command.isEmpty else {
            print("DBUS_SYSTEM_BUS_ADDRESS=\(busAddress)")
            fflush(nil)
            return
        }
        do {
            child = try ChildProcess(
                command,
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": busAddress],
                on: .main
            ) { [self] code in
                status = code
                MainContext.main.quit()
            }
        } catch {
            fail("\(command[0]) cannot be run: \(error)", status: 127)
        }
    }

    private func fail(_ text: String, status: Int32) {
        FileHandle.standardError.write(Data("bluez-simulator: \(text)\n".utf8))
        self.status = status
        MainContext.main.quit()
    }

    // The terminal sends Ctrl-C to the child too, and the child decides what it means. Other requests to
    // end are passed on.
    private func handleSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { [self] in received(number) }
            source.resume()
            signals.append(source)
        }
    }

    private func received(_ number: Int32) {
        guard let child else {
            status = command.isEmpty ? 0 : 128 + number
            return MainContext.main.quit()
        }
        if number != SIGINT { child.send(signal: number) }
    }
}
