// The code of the specification, unchanged, with bodies where the document has none. Lines below a "used"
// comment are additions that silence compiler warnings. The document's BleuError has `Error` without `any`,
// which this package does not allow; SpecificationTests compares its cases.
import Bleu
import Distributed
import Foundation

/// Application code written against the specification.
enum Specification {}

// MARK: "PeripheralActor Protocol", "Connection States"

extension Specification {
    // swift-format-ignore
    public protocol PeripheralActor: DistributedActor
        where ActorSystem == BLEActorSystem {
        nonisolated var id: UUID { get }
    }

    // swift-format-ignore
    enum ConnectionState {
        case disconnected
        case connecting
        case connected
        case disconnecting
    }
}

// MARK: "Peripheral Mode Operations", "Central Mode Operations"

extension Specification {
    /// The document's declarations, each implemented by a call of the library.
    struct Operations {
        typealias PeripheralActor = Bleu.PeripheralActor

        let system: BLEActorSystem

        // Start advertising a peripheral
        func startAdvertising<T: PeripheralActor>(_ peripheral: T) async throws {
            try await system.startAdvertising(peripheral)
        }

        // Stop advertising
        func stopAdvertising() async throws {
            try await system.stopAdvertising()
        }

        // Update advertisement data
        func updateAdvertisement(_ data: AdvertisementData) async throws {
            try await system.updateAdvertisement(data)
        }

        // swift-format-ignore
        // Discover peripherals of a specific type
        func discover<T: PeripheralActor>(_ type: T.Type, timeout: TimeInterval = 10) async throws -> [T] {
            _ = try await system.discover(type)
            return try await system.discover(type, timeout: timeout)
        }

        // Connect to a known peripheral by UUID
        func connect<T: PeripheralActor>(to peripheralID: UUID, as type: T.Type) async throws -> T {
            try await system.connect(to: peripheralID, as: type)
        }

        // swift-format-ignore
        // Connect to multiple peripherals
        func connectMultiple<T: PeripheralActor>(to peripheralIDs: [UUID], as type: T.Type) async throws -> [T] {
            try await system.connectMultiple(to: peripheralIDs, as: type)
        }

        // Check connection status
        func isConnected(_ peripheralID: UUID) async -> Bool {
            await system.isConnected(peripheralID)
        }

        // Disconnect from a peripheral
        func disconnect(from peripheralID: UUID) async throws {
            try await system.disconnect(from: peripheralID)
        }
    }
}

// MARK: "Defining a Peripheral"

// swift-format-ignore
distributed actor TemperatureSensorActor: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    // Distributed methods become BLE characteristics
    distributed func readTemperature() async throws -> Double { 20 + offset }
    distributed func calibrate(offset: Double) async throws { self.offset = offset }
    distributed func subscribeToUpdates() async throws -> AsyncStream<Double> { updates(3) }

    private var offset = 0.0

    private func updates(_ count: Int) -> AsyncStream<Double> {
        AsyncStream { [offset] stream in
            for number in 0..<count { stream.yield(Double(number) + offset) }
            stream.finish()
        }
    }
}

// MARK: "Using a Peripheral"

extension Specification {
    // swift-format-ignore
    static func use(_ system: BLEActorSystem) async throws {
        // Discover peripherals
        let sensors = try await system.discover(TemperatureSensorActor.self)

        // Use the first sensor
        if let sensor = sensors.first {
            // Read temperature (triggers BLE read)
            let temp = try await sensor.readTemperature()
            // used
            print("Temperature: \(temp)")

            // Subscribe to updates (uses BLE notifications)
            for await update in try await sensor.subscribeToUpdates() {
                print("Temperature: \(update)")
            }

            // Save UUID for later
            UserDefaults.standard.set(sensor.id.uuidString, forKey: "sensorID")
        }

        // Later: reconnect using saved UUID
        if let uuidString = UserDefaults.standard.string(forKey: "sensorID"),
           let uuid = UUID(uuidString: uuidString) {
            let sensor = try await system.connect(to: uuid, as: TemperatureSensorActor.self)
            // Ready to use immediately
            // used
            try await sensor.calibrate(offset: 1)
        }
    }
}

// MARK: "Method Patterns"

extension Specification {
    enum Event: Codable, Hashable { case moved(to: Int), stopped }
}

// swift-format-ignore
distributed actor MethodPatterns: PeripheralActor {
    typealias ActorSystem = BLEActorSystem
    typealias Event = Specification.Event

    private var value = 0
    private(set) var messages: [String] = []

    // Simple read
    distributed func getValue() async throws -> Int { value }

    // Write with parameter
    distributed func setValue(_ value: Int) async throws { self.value = value }

    // Write without response
    distributed func notify(_ message: String) async { messages.append(message) }

    // Streaming updates
    distributed func subscribe() async throws -> AsyncStream<Event> {
        AsyncStream { [value] stream in
            stream.yield(.moved(to: value))
            stream.yield(.stopped)
            stream.finish()
        }
    }
}
