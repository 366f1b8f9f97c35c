internal import BluejayDBus
internal import BluejayGLib
internal import BluejaySimulator
internal import Foundation

/// The bus, the world and the command of one run, all on the main context.
final class SimulatorSession {
    private let options: SimulatorOptions
    private let devices: [SimulatedDevice]
    private let centrals: [CentralPrinter]
    private let command: [String]
    private let context = MainContext.main
    private var bus: PrivateBus?
    private var world: SimulatedBlueZ?
    private var child: ChildProcess?
    private var signals: [SignalSource] = []
    private var status: Int32 = 0

    init(
        _ options: SimulatorOptions,
        devices: [SimulatedDevice],
        scripts: [[CentralStep]],
        command: [String]
    ) {
        self.options = options
        self.devices = devices
        centrals = scripts.enumerated().map { CentralPrinter($0.offset + 1, $0.element) }
        self.command = command
    }

    /// Runs until the command or a signal ends it; returns the exit status.
    func run() -> Int32 {
        signals = [SIGINT, SIGTERM, SIGHUP].map { number in
            SignalSource(number, on: context) { [weak self] in self?.received(number) }
        }
        do {
            bus = try PrivateBus(on: context) { [weak self] result in
                switch result {
                case .failure(let failure): self?.fail("\(failure)")
                case .success(let address): self?.start(address)
                }
            }
        } catch {
            printLine("\(error)")
            return 1
        }
        context.run()
        world?.apply(.daemonTerminated)
        bus?.stop()
        return status
    }

    private func start(_ address: BusAddress) {
        let world = SimulatedBlueZ(options, at: address, on: context)
        self.world = world
        world.onBusRestart = { [weak self] in self?.bus?.restart($0) }
        for device in devices { world.add(device) }
        for central in centrals { central.start(in: world) }
        world.start { [weak self] error in
            if let error {
                self?.fail("cannot register org.bluez on the bus: \(error)")
            } else {
                self?.runCommand(address)
            }
        }
    }

    private func runCommand(_ address: BusAddress) {
        guard !command.isEmpty else {
            print("DBUS_SYSTEM_BUS_ADDRESS=\(address.text)")
            try? FileHandle.standardOutput.synchronize()
            return
        }
        do {
            child = try ChildProcess(
                command,
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": address.text],
                on: context
            ) { [weak self] status in
                self?.child = nil
                self?.end(status)
            }
        } catch {
            printLine("\(error)")
            end(127)
        }
    }

    // The terminal also sends Ctrl-C to the command, which decides how to react.
    private func received(_ signal: Int32) {
        // Without a command, a signal is the normal way to end.
        guard let child else { return end(command.isEmpty ? 0 : 128 + signal) }
        if signal != SIGINT { child.send(signal: signal) }
    }

    private func fail(_ text: String) {
        guard world != nil || bus != nil else { return }
        printLine(text)
        end(1)
    }

    private func end(_ status: Int32) {
        self.status = status
        context.quit()
    }

    private func printLine(_ text: String) {
        FileHandle.standardError.write(Data("bluez-simulator: \(text)\n".utf8))
    }
}
