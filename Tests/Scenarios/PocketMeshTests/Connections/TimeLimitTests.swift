import BluejaySimulator
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

@Suite("The timeouts of a connection", .timeLimit(.minutes(15)))
struct TimeLimitTests {
    @Test("A connect without a link in time is cancelled, and the next one succeeds at once")
    func link() async throws {
        try await RadioStage.play(
            .v5_86,
            { settings, options in
                // Long enough for the second attempt on a busy computer.
                settings.connectionTimeout = .seconds(10)
                options.timeScale = 1
            }
        ) { stage in
            let call = try #require(try await stage.bring(to: .connecting))
            let error = await failure { _ = try await call.value }
            #expect(error as? BLEError == .connectionTimeout)
            #expect(await stage.radio.currentPhase == .idle)
            await stage.letGo(of: .connecting)
            _ = try await stage.radio.connect(to: RadioStage.device)
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test(
        "One timeout covers the discovery and the subscription, then the link is disconnected",
        arguments: [Stop.discoveringServices, .subscribingToNotifications]
    )
    func discovery(stop: Stop) async throws {
        try await RadioStage.play(
            .v5_86,
            { settings, options in
                settings.serviceDiscoveryTimeout = .seconds(10)
                options.timeScale = 1
            }
        ) { stage in
            let call = try #require(try await stage.bring(to: stop))
            #expect(await stage.isLinked())
            let error = await failure { _ = try await call.value }
            #expect(error as? BLEError == .connectionTimeout)
            #expect(await stage.radio.currentPhase == .idle)
            try await wait { await !stage.isLinked() }
            await stage.letGo(of: stop)
            _ = try await stage.radio.connect(to: RadioStage.device)
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test("A reconnection has its own discovery timeout, and ends when it expires")
    func wayBack() async throws {
        try await RadioStage.play(
            .v5_86,
            { settings, options in
                settings.autoReconnectDiscoveryTimeout = .seconds(2)
                options.timeScale = 1
            }
        ) { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on {
                $0.answersDiscovery = false
                $0.dropLink()
            }
            try await stage.journal.wait(for: "gone connectionTimeout")
            #expect(stage.journal.count("lost") == 1)
            #expect(stage.journal.count("gone") == 1)
            #expect(await stage.radio.currentPhase == .idle)
            #expect(try stage.remembered() == nil)
            try await wait { await !stage.isLinked() }
            await stage.letGo(of: .discoveringServices)
            _ = try await stage.radio.connect(to: RadioStage.device)
        }
    }

    @Test("The timeouts are the given numbers of seconds, or the defaults of the document")
    func defaults() async {
        let plain = BLEStateMachine()
        #expect(plain.settings.connectionTimeout == .seconds(10))
        #expect(plain.settings.serviceDiscoveryTimeout == .seconds(40))
        #expect(plain.settings.writeTimeout == .seconds(5))
        #expect(plain.settings.autoReconnectDiscoveryTimeout == .seconds(15))
        #expect(plain.settings.writePacingDelay == .zero)
        #expect(plain.settings.restoreIdentifier == "com.pocketmesh.ble.central")
        #expect(
            plain.settings.backoff == .init(initialDelay: .seconds(1), maximumDelay: .seconds(60))
        )
        let odd = BLEStateMachine(
            connectionTimeout: -1,
            serviceDiscoveryTimeout: .infinity,
            writeTimeout: .nan
        )
        #expect(odd.settings.connectionTimeout == .zero)
        #expect(odd.settings.serviceDiscoveryTimeout > .seconds(1e9))
        #expect(odd.settings.writeTimeout == .zero)
    }
}
