import Bleu
import Distributed
import Foundation
import Testing

@Suite("The code of the specification with the library", .timeLimit(.minutes(5)), .serialized)
struct SpecificationTests {
    @Test(
        "The program of the document reads, subscribes, and finds its sensor again by the saved UUID"
    )
    func program() async throws {
        UserDefaults.standard.removeObject(forKey: "sensorID")
        try await BleuStage.play { stage in
            let system = stage.system(0)
            let sensor = TemperatureSensorActor(actorSystem: system)
            try await system.startAdvertising(sensor)
            try await Specification.use(stage.system(1))
            #expect(UserDefaults.standard.string(forKey: "sensorID") == adapterID(0).uuidString)
            #expect(try await sensor.readTemperature() == 21)
        }
        UserDefaults.standard.removeObject(forKey: "sensorID")
    }

    @Test("Each method pattern of the document works")
    func patterns() async throws {
        try await BleuStage.play { stage in
            let system = stage.system(0)
            let patterns = MethodPatterns(actorSystem: system)
            try await system.startAdvertising(patterns)
            let proxy = try #require(try await stage.system(1).discover(MethodPatterns.self).first)
            try await proxy.setValue(5)
            #expect(try await proxy.getValue() == 5)
            // The peripheral runs one central's calls in order.
            try await proxy.notify("hello")
            #expect(try await proxy.getValue() == 5)
            let messages = await patterns.whenLocal { $0.messages }
            #expect(messages == ["hello"])
            var events: [Specification.Event] = []
            for await event in try await proxy.subscribe() { events.append(event) }
            #expect(events == [.moved(to: 5), .stopped])
        }
    }

    @Test("Each operation of the document has its declaration")
    func operations() async throws {
        try await BleuStage.play { stage in
            let server = Specification.Operations(system: stage.system(0))
            let client = Specification.Operations(system: stage.system(1))
            try await server.startAdvertising(TemperatureSensorActor(actorSystem: server.system))
            try await server.updateAdvertisement(AdvertisementData(localName: "Roof"))
            #expect(
                try await client.discover(TemperatureSensorActor.self).map(\.id) == [adapterID(0)]
            )
            let one = try await client.connect(to: adapterID(0), as: TemperatureSensorActor.self)
            let all = try await client.connectMultiple(
                to: [adapterID(0)],
                as: TemperatureSensorActor.self
            )
            #expect(all.map(\.id) == [one.id])
            #expect(await client.isConnected(adapterID(0)))
            try await client.disconnect(from: adapterID(0))
            #expect(await !client.isConnected(adapterID(0)))
            try await server.stopAdvertising()
        }
    }

    @Test("The errors and the states match the document")
    func cases() {
        let id = UUID()
        let errors: [BleuError] = [
            .bluetoothUnavailable, .bluetoothUnauthorized, .peripheralNotFound(id),
            .serviceNotFound(id), .characteristicNotFound(id), .connectionTimeout,
            .connectionFailed(BleuError.invalidData),
            .incompatibleVersion(detected: 1, required: 2), .invalidData, .quotaExceeded,
        ]
        for error in errors {
            switch error {
            case .bluetoothUnavailable, .bluetoothUnauthorized, .peripheralNotFound,
                .serviceNotFound, .characteristicNotFound, .connectionTimeout, .connectionFailed,
                .incompatibleVersion, .invalidData, .quotaExceeded:
                break
            }
        }
        for state in [ConnectionState.disconnected, .connecting, .connected, .disconnecting] {
            let ofDocument: Specification.ConnectionState =
                switch state {
                case .disconnected: .disconnected
                case .connecting: .connecting
                case .connected: .connected
                case .disconnecting: .disconnecting
                }
            #expect("\(ofDocument)" == "\(state)")
        }
    }

    @Test("The numbers match the document")
    func numbers() {
        let configuration = BleuConfiguration()
        #expect(configuration.initialRetryDelay == 1)
        #expect(configuration.maximumRetryDelay == 30)
        #expect(configuration.maximumRetries == 5)
        #expect(configuration.maximumConnections == 7)
        #expect(configuration.compressionThreshold == 1024)
    }
}
