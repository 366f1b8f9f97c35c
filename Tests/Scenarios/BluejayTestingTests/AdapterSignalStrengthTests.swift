import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Testing

private final class Scan {
    let bluejay: Bluejay
    var strengths: [Int] = []

    init(_ bluejay: Bluejay) { self.bluejay = bluejay }

    /// The strengths reported during the next `time`.
    func strengths(for time: Duration) async throws -> [Int] {
        let count = strengths.count
        try await TestWorld.current.clock.sleep(for: time)
        return Array(strengths.dropFirst(count))
    }
}

@Suite("RSSI between simulated adapters", .timeLimit(.minutes(15)))
struct AdapterSignalStrengthTests {
    private static var threeAdapters: SimulatorOptions {
        var options = SimulatorOptions()
        options.adapters = 3
        return options
    }

    private let service = ServiceIdentifier(uuid: "FFE0")

    private func advertise(on adapter: String) async throws -> GATTServer {
        let world = try TestWorld.current
        let server = GATTServer(mainLoop: world.mainLoop, adapter: adapter)
        let content = LocalAdvertisement(serviceUUIDs: [service.uuid], localName: "Node")
        try await world.expect("the advertisement") { done in
            server.start()
            server.startAdvertising(content) { result in
                if case .success = result { done() }
            }
        }
        return server
    }

    /// Scans on `hci0` with duplicates for the rest of the test.
    private func scan() async throws -> Scan {
        let bluejay = try TestWorld.current.makeBluejay(adapter: "hci0")
        await bluejay.start()
        let scan = Scan(bluejay)
        bluejay.scan(
            allowDuplicates: true,
            throttleRSSIDelta: 0,
            serviceIdentifiers: [service]
        ) { found in
            scan.strengths.append(found.rssi)
            return .continue
        } stopped: { _ in
        }
        return scan
    }

    @Test(
        "A scan with duplicates reports each advertisement of another adapter with -50 dBm",
        .simulatedBlueZ { _ in }
    )
    func reportsEach() async throws {
        let server = try await advertise(on: "hci1")
        let scan = try await scan()
        #expect(try await scan.strengths(for: .seconds(2.5)).first == -50)
        #expect(try await scan.strengths(for: .seconds(3)) == [-50, -50, -50])
        withExtendedLifetime(server) {}
    }

    @Test(
        "A new RSSI of two adapters is reported immediately and affects no other adapter",
        .simulatedBlueZ(threeAdapters)
    )
    func newStrength() async throws {
        let servers = [try await advertise(on: "hci1"), try await advertise(on: "hci2")]
        let scan = try await scan()
        #expect(Set(try await scan.strengths(for: .seconds(2.5))) == [-50])
        try TestWorld.current.perform { $0.setSignalStrength(-81, betweenAdapters: 1, 0) }
        #expect(try await scan.strengths(for: .seconds(0.1)) == [-81])
        #expect(try await scan.strengths(for: .seconds(1)) == [-81, -50])
        withExtendedLifetime(servers) {}
    }

    @Test(
        "A scan with duplicates does not report an adapter of unknown RSSI",
        .simulatedBlueZ { $0.setSignalStrength(127, betweenAdapters: 0, 1) }
    )
    func unknownStrength() async throws {
        let server = try await advertise(on: "hci1")
        #expect(try await scan().strengths(for: .seconds(3)).isEmpty)
        withExtendedLifetime(server) {}
    }
}
