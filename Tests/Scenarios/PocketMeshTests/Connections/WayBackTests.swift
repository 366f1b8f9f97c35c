import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

@Suite("Reconnection after a lost link", .timeLimit(.minutes(15)))
struct WayBackTests {
    @Test("The radio is dialled until it returns, without a limit")
    func away() async throws {
        try await Field.play { field in
            let stream = try await field.radio.connect(to: Field.device)
            await field.on { $0.leaveRange() }
            for await _ in stream {}
            try await field.journal.wait(for: "lost")
            #expect(await field.radio.isAutoReconnecting)
            #expect(await !field.radio.isConnected)
            #expect(await field.radio.connectedDeviceID == nil)
            let error = await failure { try await field.radio.send(Data([1])) }
            #expect(error as? BLEError == .notConnected)
            // Longer than bluetoothd keeps an unseen device or tries to connect to one.
            try await Task.sleep(for: .seconds(4))
            #expect(await field.radio.currentPhase == .autoReconnecting(Field.device))
            await field.on { $0.returnToRange() }
            try await field.journal.wait(for: "back")
            try await field.wait(for: "connected")
            #expect(field.journal.count("lost") == 1)
            #expect(field.journal.count("gone") == 0)
        }
    }

    @Test("A radio that drops after each subscription is dialled with growing delays")
    func dropsAtOnce() async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            for round in 1...6 {
                await field.on { $0.dropLink() }
                try await field.journal.wait(for: "back", count: round)
                try await field.wait(for: "connected")
            }
            #expect(field.journal.count("lost") == 6)
            #expect(await field.radio.machine.effort?.failures == 6)
        }
    }

    @Test("A stable connection reconnects at once")
    func steady() async throws {
        try await Field.play(
            .v5_86,
            { settings, _ in
                settings.backoff = .init(initialDelay: .seconds(600), maximumDelay: .seconds(600))
                settings.stableConnectionInterval = .milliseconds(100)
            }
        ) { field in
            _ = try await field.radio.connect(to: Field.device)
            try await Task.sleep(for: .milliseconds(200))
            await field.on { $0.dropLink() }
            try await field.journal.wait(for: "back")
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
        try await Field.play(holds: gone == .pairing) { field in
            _ = try await field.radio.connect(to: Field.device)
            await field.on { device in
                switch gone {
                case .service: device.removeService(NordicUART.serviceUUID.uuidString)
                case .pairing: device.hold(.subscription, of: rx)
                }
                device.dropLink()
            }
            if gone == .pairing {
                try await wait { await field.heldCount(.subscription, of: rx) == 1 }
                await field.on { $0.release(.subscription, of: rx, refusingWith: 0x05) }
                try await field.journal.wait(for: "gone pairingFailed")
            } else {
                try await field.journal.wait(for: "gone characteristicNotFound")
            }
            #expect(field.journal.count("gone") == 1)
            #expect(field.journal.count("lost") == 1)
            #expect(await field.radio.currentPhase == .idle)
            #expect(try field.remembered() == nil)
            try await wait { await !field.isLinked() }
        }
    }

    @Test("A radio that removes its service is dialled, and its new failure is reported")
    func servicesGo() async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            await field.on { $0.removeService(NordicUART.serviceUUID.uuidString) }
            try await field.journal.wait(for: "gone characteristicNotFound")
            #expect(field.journal.count("lost") == 1)
        }
    }

    @Test("A radio that returns under another name is the same radio")
    func renamed() async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            await field.on { $0.leaveRange() }
            try await field.journal.wait(for: "lost")
            let other = UncheckedTransfer(simulatedRadio(name: "Other"))
            await field.system.perform { $0.add(other.value) }
            try await field.journal.wait(for: "back")
            try await field.radio.send(Data([3]))
            #expect(await field.written() == [[3]])
        }
    }

    @Test("A link that another program disconnects is dialled again")
    func cutElsewhere() async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            // A separate loop has a separate bus connection, like another program.
            let other = Field.makeRadio(RadioSettings(), field.system)
            _ = try await other.connect(to: Field.device)
            await other.disconnect()
            try await field.journal.wait(for: "lost")
            try await field.journal.wait(for: "back")
        }
    }

    @Test("A connect to a returning radio takes over the reconnection and receives the stream")
    func takenOver() async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            await field.on { $0.leaveRange() }
            try await field.wait(for: "autoReconnecting")
            let call = Task { try await field.radio.connect(to: Field.device) }
            try await wait { await field.radio.callers.count == 1 }
            await field.on { $0.returnToRange() }
            let stream = try await call.value
            await field.send([5])
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == Data([5]))
            #expect(field.journal.count("back") == 0)
            #expect(field.journal.count("gone") == 0)
        }
    }

    @Test("A handler can use the new stream and send values")
    func callsIn() async throws {
        try await Field.play { field in
            let radio = field.radio
            let journal = field.journal
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
            _ = try await radio.connect(to: Field.device)
            await field.on { $0.dropLink() }
            try await journal.wait(for: "sent true")
            await field.send([9])
            try await journal.wait(for: "value [9]")
            try await journal.wait(for: "phase")
            #expect(journal.count("phase") == 1)
            await radio.setDisconnectionHandler { device, _ in
                Task {
                    _ = try await radio.connect(to: device)
                    journal.note("again")
                }
            }
            await field.setPowered(false)
            try await field.wait(for: "waitingForBluetooth")
            await field.setPowered(true)
            try await journal.wait(for: "again")
        }
    }
}
