import Bluejay
import BluejayAsync
import Foundation

/// The blocks with `await` of the articles in `Bluejay.docc`.
struct AwaitedBlocks: Swift.Sendable {
    private let location = CharacteristicIdentifier.bodySensorLocation
    private let controlPoint = CharacteristicIdentifier.heartRateControlPoint
    let bluejay: Bluejay
    /// Receives the output of the blocks.
    let print: @Sendable (Any) -> Void

    func scan() async throws {
        for try await discovery in bluejay.scan(duration: 5, serviceIdentifiers: [.heartRate]) {
            print(discovery)
        }
    }

    func scanBeside() async throws {
        let near = ScanFilter.anyService([.heartRate]) && .minimumRSSI(-70)
        for try await discovery in bluejay.scan(matching: near, besideQueue: true) {
            print("\(discovery.peripheralIdentifier.name) at \(discovery.rssi) dBm")
            break
        }
    }

    func watch() async throws {
        for try await event in bluejay.watch(for: .anyService([.heartRate])) {
            switch event {
            case .found(let discovery): print("here: \(discovery.peripheralIdentifier.name)")
            case .lost(let discovery): print("gone: \(discovery.peripheralIdentifier.name)")
            default: break
            }
        }
    }

    func withConnection() async throws {
        try await bluejay.withConnection(toFirst: .anyService([.heartRate]), within: 20) { sensor in
            let place = try await sensor.read(from: .bodySensorLocation, as: UInt8.self)
            print("worn at place \(place)")
        }
    }

    func connect() async throws {
        let sensor = try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 20)
        print("connected to \(sensor)")
    }

    func connectByAddress() async throws {
        let sensor = try PeripheralIdentifier(address: "C4:7C:8D:6A:1F:02")
        try await bluejay.connect(sensor, timeout: 20)
    }

    func followConnection() async {
        for await event in bluejay.connectionEvents {
            switch event {
            case .connected(let sensor): print("connected to \(sensor)")
            case .disconnected(_, let reason?): print("disconnected: \(reason)")
            case .reconnecting(_, let attempt, _): print("attempt \(attempt)")
            default: break
            }
        }
    }

    func reconnectLess() {
        bluejay.reconnectOptions = ReconnectOptions(maximumAttempts: 5)
    }

    func readAndWrite() async throws {
        try await bluejay.write(to: controlPoint, value: UInt8(1))
        let place = try await bluejay.read(from: location, as: UInt8.self)
        print("worn at place \(place)")
    }

    func listen() async throws {
        let readings = bluejay.values(of: .heartRateMeasurement, as: HeartRateReading.self)
        for try await reading in readings {
            print("\(reading.beatsPerMinute) beats per minute")
        }
    }

    func runTask() async throws {
        let place = try await bluejay.run { [controlPoint, location] sensor in
            try sensor.write(to: controlPoint, value: UInt8(1))
            return try sensor.read(from: location) as UInt8
        }
        print("worn at place \(place)")
    }
}
