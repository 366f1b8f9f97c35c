import Bluejay
import BluejayAsync
import BluejaySimulator
import Testing

@testable import BluejayGATTServer

@Suite("Scope of served services", .timeLimit(.minutes(15)))
struct ScopeTests {
    private struct Thrown: Error {}

    private static func service(_ uuid: String) -> LocalService {
        LocalService(uuid: BluetoothUUID(string: uuid), characteristics: [])
    }

    @Test("Services and advertisement exist only inside the scope")
    func inside() async throws {
        try await BothRoles.with { roles in
            let lamp = Self.service("FFE0")
            for _ in 0..<2 {
                let isServed = try await roles.server.withServices(
                    [lamp],
                    advertising: KeepsAdvertisingTests.content
                ) { server in lamp.isAdded && server.isAdvertising }
                #expect(isServed)
                #expect(!lamp.isAdded)
                #expect(!roles.server.isAdvertising)
            }
        }
    }

    @Test("An error of the closure, a service or the advertisement leaves nothing published")
    func thrown() async throws {
        try await BothRoles.with { roles in
            let lamp = Self.service("FFE0")
            await #expect(throws: Thrown.self) {
                try await roles.server.withServices([lamp]) { _ in throw Thrown() }
            }
            #expect(!lamp.isAdded)
            await #expect(throws: BluejayError.self) {
                try await roles.server.serve([lamp, Self.service("1800")])
            }
            #expect(!lamp.isAdded)
            let long = LocalAdvertisement(localName: String(repeating: "x", count: 90))
            await #expect(throws: BluejayError.self) {
                try await roles.server.serve([lamp], advertising: long)
            }
            #expect(!lamp.isAdded)
        }
    }

    @Test("Services are served until the task is cancelled")
    func served() async throws {
        try await BothRoles.with { roles in
            let lamp = Self.service("FFE0")
            let server = roles.server
            let task = Task {
                try await server.serve([lamp], advertising: KeepsAdvertisingTests.content)
            }
            while !server.isAdvertising { try await Task.sleep(for: .milliseconds(5)) }
            task.cancel()
            try await task.value
            #expect(!lamp.isAdded)
            #expect(!server.isAdvertising)
        }
    }
}
