import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import PocketMesh

@Suite("Reconnection after a lost link", .timeLimit(.minutes(15)))
struct WayBackTests {
    @Test("The radio is dialled until it returns, without a limit")
    func away() async throws {
        try await RadioStage.play { stage in
            let stream = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.leaveRange() }
            for await _ in stream {}
            try await stage.journal.wait(for: "lost")
            #expect(await stage.radio.isAutoReconnecting)
            #expect(await !stage.radio.isConnected)
            #expect(await stage.radio.connectedDeviceID == nil)
            let error = await failure { try await stage.radio.send(Data([1])) }
            #expect(error as? BLEError == .notConnected)
            // Longer than bluetoothd keeps an unseen device or tries to connect to one.
            try await Task.sleep(for: .seconds(4))
            #expect(await stage.radio.currentPhase == .autoReconnecting(RadioStage.device))
            await stage.on { $0.returnToRange() }
            try await stage.journal.wait(for: "back")
            try await stage.wait(for: "connected")
            #expect(stage.journal.count("lost") == 1)
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test("A radio that drops after each subscription is dialled with growing delays")
    func dropsAtOnce() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            for round in 1...6 {
                await stage.on { $0.dropLink() }
                try await stage.journal.wait(for: "back", count: round)
                try await stage.wait(for: "connected")
            }
            #expect(stage.journal.count("lost") == 6)
            #expect(await stage.radio.machine.attempt?.failures == 6)
        }
    }

    @Test("A stable connection reconnects at once")
    func steady() async throws {
        try await RadioStage.play(
            .v5_86,
            { settings, _ in
                settings.backoff = .init(initialDelay: .seconds(600), maximumDelay: .seconds(600))
                settings.stableConnectionInterval = .milliseconds(100)
            }
        ) { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            try await Task.sleep(for: .milliseconds(200))
            await stage.on { $0.dropLink() }
            try await stage.journal.wait(for: "back")
        }
    }

    enum Gone: CaseIterable {
        case service, pairing
    }

    @Test(
        "A permanent failure ends the reconnection, and its error is reported once",
        arguments: Gone.allCases
    )
    func givesUp(gone: Gone) async throws {
        try await RadioStage.play(holds: gone == .pairing) { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { device in
                switch gone {
                case .service: device.removeService(NordicUART.serviceUUID.uuidString)
                case .pairing: device.hold(.subscription, of: rx)
                }
                device.dropLink()
            }
            if gone == .pairing {
                try await wait { await stage.heldCount(.subscription, of: rx) == 1 }
                await stage.on { $0.release(.subscription, of: rx, refusingWith: 0x05) }
                try await stage.journal.wait(for: "gone pairingFailed")
            } else {
                try await stage.journal.wait(for: "gone characteristicNotFound")
            }
            #expect(stage.journal.count("gone") == 1)
            #expect(stage.journal.count("lost") == 1)
            #expect(await stage.radio.currentPhase == .idle)
            #expect(try stage.remembered() == nil)
            try await wait { await !stage.isLinked() }
        }
    }

    @Test("A radio that removes its service is dialled, and its new failure is reported")
    func servicesGo() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.removeService(NordicUART.serviceUUID.uuidString) }
            try await stage.journal.wait(for: "gone characteristicNotFound")
            #expect(stage.journal.count("lost") == 1)
        }
    }

    @Test("A radio that returns under another name is the same radio")
    func renamed() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.leaveRange() }
            try await stage.journal.wait(for: "lost")
            let other = UncheckedTransfer(simulatedRadio(name: "Other"))
            await stage.system.perform { $0.add(other.value) }
            try await stage.journal.wait(for: "back")
            try await stage.radio.send(Data([3]))
            #expect(await stage.written() == [[3]])
        }
    }

    @Test(
        "A link that another program disconnects is dialled again",
        .pitfall(.otherProgramDisconnects)
    )
    func cutElsewhere() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            // A separate loop has a separate bus connection, like another program.
            let other = RadioStage.makeRadio(RadioSettings(), stage.system)
            _ = try await other.connect(to: RadioStage.device)
            await other.disconnect()
            try await stage.journal.wait(for: "lost")
            try await stage.journal.wait(for: "back")
        }
    }

    @Test("A connect to a returning radio takes over the reconnection and receives the stream")
    func takenOver() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.leaveRange() }
            try await stage.wait(for: "autoReconnecting")
            let call = Task { try await stage.radio.connect(to: RadioStage.device) }
            try await wait { await stage.radio.callers.count == 1 }
            await stage.on { $0.returnToRange() }
            let stream = try await call.value
            await stage.send([5])
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == Data([5]))
            #expect(stage.journal.count("back") == 0)
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test("A handler can use the new stream and send values")
    func callsIn() async throws {
        try await RadioStage.play { stage in
            let radio = stage.radio
            let journal = stage.journal
            await radio.setReconnectionHandler { device, stream in
                Task {
                    try await radio.send(Data([8]))
                    journal.note("sent \(await radio.connectedDeviceID == device)")
                    for await value in stream { journal.note("value \(Array(value))") }
                }
            }
            await radio.setAutoReconnectingHandler { _ in
                Task { journal.note("phase \(await radio.currentPhase.name)") }
            }
            _ = try await radio.connect(to: RadioStage.device)
            await stage.on { $0.dropLink() }
            try await journal.wait(for: "sent true")
            await stage.send([9])
            try await journal.wait(for: "value [9]")
            try await journal.wait(for: "phase")
            #expect(journal.count("phase") == 1)
            await radio.setDisconnectionHandler { device, _ in
                Task {
                    _ = try await radio.connect(to: device)
                    journal.note("again")
                }
            }
            await stage.setPowered(false)
            try await stage.wait(for: "waitingForBluetooth")
            await stage.setPowered(true)
            try await journal.wait(for: "again")
        }
    }
}
