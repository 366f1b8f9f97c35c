import ArgumentParser
import Bleu
import BluejayCommandLine
import Foundation
import ThermometerActor

import enum BluejayCore.BluejayVersion

/// Serves a thermometer; see `Documentation/Bleu.md`.
@main
struct ThermometerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thermometer",
        abstract: "Run a thermometer, a distributed actor that centrals call.",
        discussion: """
            The thermometer advertises the service of the type TemperatureSensorActor, shows the calls of \
            centrals, and measures a fictitious room. It ends with Ctrl-C or after --for.

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "the thermometer was advertised",
        failure: "Bluetooth is unavailable, or a second Ctrl-C"
    )

    @OptionGroup var options: RunOptions

    @MainActor
    func run() async throws {
        let ends = StopSignal(after: options.seconds)
        let output = Output { ends.stop() }
        let (isJSON, encoder) = (options.json, JSONLines())
        let (events, continuation) = AsyncStream<ThermometerEvent>.makeStream()
        var configuration = BleuConfiguration()
        configuration.errorTypes = [CalibrationError.self]
        let system = BLEActorSystem(
            configuration: configuration,
            host: BluetoothHost(adapter: options.adapter)
        )
        let thermometer = TemperatureSensorActor(actorSystem: system) { continuation.yield($0) }
        let shown = Task {
            for await event in events {
                let line = ThermometerLine(event)
                output.writeLine(isJSON ? (try? encoder.line(line)) ?? "" : line.text)
            }
        }
        do {
            try await system.startAdvertising(thermometer)
        } catch {
            FileHandle.standardError.write(
                Data("thermometer: \(reason(of: error))\n".utf8)
            )
            throw ExitCode.failure
        }
        let service = ServiceMapper.serviceUUID(for: TemperatureSensorActor.self)
        let started = ThermometerLine(event: "advertising", service: service.uuidString)
        output.writeLine(isJSON ? (try? encoder.line(started)) ?? "" : started.text)
        await ends.wait()
        try? await system.stopAdvertising()
        continuation.finish()
        await shown.value
    }
}

struct ThermometerLine: Encodable, Equatable {
    var event: String
    var value: Double?
    var service: String?

    var text: String {
        switch event {
        case "advertising": "advertising the service \(service ?? "")"
        case "subscribed": "a central subscribed"
        case "unsubscribed": "a central unsubscribed"
        default: "\(event) \(value.map { "\($0)" } ?? "")"
        }
    }
}

extension ThermometerLine {
    init(_ event: ThermometerEvent) {
        switch event {
        case .read(let value): self.init(event: "read", value: value)
        case .calibrated(let offset): self.init(event: "calibrated", value: offset)
        case .subscribed: self.init(event: "subscribed")
        case .sent(let value): self.init(event: "sent", value: value)
        case .unsubscribed: self.init(event: "unsubscribed")
        }
    }
}
