import BluejaySimulator
import Foundation
import MeshPeer
import Testing

private let first = "C0:00:00:00:00:01"
private let second = "C0:00:00:00:00:02"

/// Tests `MeshPeripheral` and `MeshService`.
@Suite("Serving centrals", .timeLimit(.minutes(15)))
struct ServingTests {
    private static func play(
        _ kind: MeshStageKind = .newest,
        _ body: @escaping @Sendable (MeshStage, Node) async throws -> Void
    ) async throws {
        try await MeshStage.play(kind, adapters: 1) { stage in
            let node = try Node(0, in: stage.world)
            node.peripheral.startAdvertising()
            try await stage.wait(for: "advertisement") { node.peripheral.isAdvertising }
            try await body(stage, node)
        }
    }

    @Test("Values that centrals write to TX arrive in order, with and without response")
    func writes() async throws {
        try await Self.play { stage, node in
            let writes = (0..<200).map { number in
                let kind: CentralWrite = number.isMultiple(of: 2) ? .withResponse : .withoutResponse
                return CentralStep.write(txUUID, [UInt8(number)], kind)
            }
            try await stage.play([.connect] + writes, as: first)
            try await stage.wait(for: "values") { node.inbox.count == 200 }
            #expect(
                node.inbox.values(from: deviceID(first)) == (0..<200).map { Data([UInt8($0)]) }
            )
        }
    }

    @Test("10,000 writes of one central arrive, and another is served meanwhile")
    func flood() async throws {
        try await Self.play { stage, node in
            let flood = CentralStep.repeat([.write(txUUID, [1], .withoutResponse)], times: 10_000)
            try await stage.play([.connect], as: second)
            async let other = stage.play([.connect, flood], as: first)
            try await stage.play([.write(txUUID, [2])], as: second)
            _ = try await other
            try await stage.wait(for: "values") { node.inbox.count == 10_001 }
        }
    }

    @Test("ID is read in parts where the MTU is small, and more than 24 bytes throw an error")
    func identity() async throws {
        try await Self.play { stage, node in
            let identity = Data((0..<24).map { UInt8($0) })
            try node.peripheral.setIdentityData(identity)
            #expect(throws: BluejayError.valueTooLong(length: 25, limit: 24)) {
                try node.peripheral.setIdentityData(Data(count: 25))
            }
            let read = try await stage.play([.connect, .read(idUUID)], as: first, mtu: 23)
            #expect(read == Array(identity))
        }
    }

    @Test("PSM reads 0 while no channel is published")
    func psm() async throws {
        try await Self.play { stage, node in
            let psm = try await stage.play([.connect, .read(psmUUID)], as: first)
            #expect(psm == [0, 0])
        }
    }

    @Test("A notification reaches only the addressed central", arguments: MeshStageKind.all)
    func addressing(kind: MeshStageKind) async throws {
        try await Self.play(kind) { stage, node in
            let peripheral = node.peripheral
            try await stage.play([.connect, .subscribe(rxUUID)], as: first)
            try await stage.wait(for: "subscriber") {
                peripheral.subscribedCentrals == [deviceID(first)]
            }
            #expect(peripheral.sendNotification(to: deviceID(first), data: Data([1])) == .queued)
            try await stage.play([.connect, .subscribe(rxUUID)], as: second)
            try await stage.wait(.seconds(1))
            let result = peripheral.sendNotification(to: deviceID(second), data: Data([2]))
            let canAddress = kind.kind != .v5_66
            #expect(result == (canAddress ? .queued : .notAddressable))
            try await stage.wait(.seconds(1))
            let received = try stage.perform { world in
                [first, second].map { world.central($0)?.values(of: rxUUID) }
            }
            #expect(received == [[[1]], canAddress ? [[2]] : []])
            #expect(peripheral.sendNotification(to: UUID(), data: Data([1])) != .queued)
        }
    }

    @Test("A notification longer than the MTU − 3 is refused, an empty one cannot be addressed")
    func lengths() async throws {
        try await Self.play { stage, node in
            let central = deviceID(first)
            try await stage.play([.connect, .subscribe(rxUUID)], as: first, mtu: 50)
            try await stage.wait(for: "subscriber") {
                node.peripheral.subscribedCentrals == [central]
            }
            let peripheral = node.peripheral
            #expect(peripheral.sendNotification(to: central, data: Data(count: 47)) == .queued)
            #expect(
                peripheral.sendNotification(to: central, data: Data(count: 48))
                    == .tooLong(limit: 47)
            )
            #expect(
                peripheral.sendNotification(to: central, data: Data()) == .notAddressable
            )
        }
    }

    @Test("500 notifications are queued in order, and a central that leaves drops its own")
    func order() async throws {
        try await Self.play { stage, node in
            let central = deviceID(first)
            try await stage.play([.connect, .subscribe(rxUUID)], as: first)
            try await stage.wait(for: "subscriber") {
                node.peripheral.subscribedCentrals == [central]
            }
            var sent: [[UInt8]] = []
            while sent.count < 500 {
                let value = [UInt8(sent.count / 256), UInt8(sent.count % 256)]
                switch node.peripheral.sendNotification(to: central, data: Data(value)) {
                case .queued: sent.append(value)
                case .queueFull: try await stage.wait(.milliseconds(10))
                case let other: Issue.record("\(other)")
                }
            }
            try await stage.wait(for: "values") {
                try stage.perform { $0.central(first)?.valueCount(of: rxUUID) } == 500
            }
            let received = try stage.perform { $0.central(first)?.values(of: rxUUID) }
            #expect(received == sent)
            try await stage.play([.disconnect], as: first)
            try await stage.wait(for: "end") { node.peripheral.subscribedCentrals == [] }
            #expect(
                node.peripheral.sendNotification(to: central, data: Data([1])) == .unknownPeer
            )
            #expect(node.count { $0 == .unsubscribed(central) } == 1)
        }
    }

    @Test("The node advertises again after each connection", arguments: MeshStageKind.all)
    func keepsAdvertising(kind: MeshStageKind) async throws {
        try await Self.play(kind) { stage, node in
            for number in 1...5 {
                try await stage.play([.connect], as: "C0:00:00:00:00:0\(number)")
                try await stage.wait(.seconds(3))
            }
            #expect(node.peripheral.isAdvertising)
        }
    }

    @Test("The end of advertising removes the service, and a new start adds it again")
    func stop() async throws {
        try await Self.play { stage, node in
            try await stage.play([.connect, .subscribe(rxUUID)], as: first)
            try await stage.wait(for: "subscriber") {
                node.peripheral.subscribedCentrals == [deviceID(first)]
            }
            node.peripheral.stopAdvertising()
            try await stage.wait(for: "end") { node.peripheral.subscribedCentrals == [] }
            #expect(!node.peripheral.isAdvertising)
            node.peripheral.startAdvertising()
            try await stage.wait(for: "advertisement") { node.peripheral.isAdvertising }
            try await stage.play([.connect, .subscribe(rxUUID)], as: second)
            try await stage.wait(for: "subscriber") {
                node.peripheral.subscribedCentrals == [deviceID(second)]
            }
        }
    }

    @Test("Repeated stops and starts leave the node advertising")
    func restart() async throws {
        try await Self.play { stage, node in
            for count in 0..<20 {
                node.peripheral.stopAdvertising()
                node.peripheral.startAdvertising()
                try await stage.wait(.milliseconds(37 * count))
            }
            try await stage.wait(.seconds(2))
            #expect(node.peripheral.isAdvertising)
            let identity = try await stage.play([.connect, .read(idUUID)], as: first)
            #expect(identity == [0])
        }
    }

    @Test(
        "A central that drops does not end the subscription of another",
        arguments: MeshStageKind.all
    )
    func otherSocket(kind: MeshStageKind) async throws {
        try await Self.play(kind) { stage, node in
            try await stage.play([.connect, .subscribe(rxUUID)], as: first)
            try await stage.wait(for: "subscriber") {
                node.peripheral.subscribedCentrals == [deviceID(first)]
            }
            try await stage.play([.connect, .subscribe(rxUUID)], as: second)
            try await stage.wait(.seconds(1))
            try await stage.play([.loseLink], as: second)
            try await stage.wait(.seconds(60))
            #expect(node.peripheral.subscribedCentrals == [deviceID(first)])
            #expect(node.count { $0 == .unsubscribed(deviceID(first)) } == 0)
            try await stage.play([.write(txUUID, [1])], as: first)
            #expect(node.inbox.values(from: deviceID(first)) == [Data([1])])
            let peripheral = node.peripheral
            #expect(peripheral.sendNotification(to: deviceID(first), data: Data([2])) == .queued)
            try await stage.play([.expect(rxUUID)], as: first)
        }
    }

    @Test("A subscriber whose address pairing replaces is reported with its new identifier")
    func replacedAddress() async throws {
        try await Self.play { room, node in
            let (address, identity) = ("5C:00:00:00:00:01", "00:1B:DC:00:00:01")
            try room.perform { world in
                world.userAgreesToPairing = true
                let central = SimulatedCentral(address: address)
                central.setIdentity(identity)
                world.add(central)
            }
            try await room.play([.connect, .subscribe(rxUUID)], as: address)
            try await room.wait(for: "subscriber") {
                node.peripheral.subscribedCentrals == [deviceID(address)]
            }
            try await room.play([.pair], as: address)
            try await room.wait(for: "identity") {
                node.peripheral.subscribedCentrals == [deviceID(identity, isRandom: false)]
            }
            #expect(node.count { $0 == .unsubscribed(deviceID(address)) } == 1)
            try await room.play([.disconnect], as: address)
            try await room.wait(for: "end") { node.peripheral.subscribedCentrals == [] }
        }
    }

    @Test("A central that does not read notifications fills only its own queue")
    func slowCentral() async throws {
        try await Self.play { stage, node in
            for address in [first, second] {
                try await stage.play([.connect, .subscribe(rxUUID)], as: address)
            }
            try await stage.wait(for: "subscribers") {
                node.peripheral.subscribedCentrals.count == 2
            }
            let peripheral = node.peripheral
            var count = 0
            // No time passes, so nothing leaves the queue.
            while peripheral.sendNotification(to: deviceID(first), data: Data([1])) == .queued {
                count += 1
                guard count < 100_000 else { break }
            }
            #expect(count >= 256 && count < 100_000)
            #expect(
                peripheral.sendNotification(to: deviceID(second), data: Data([2])) == .queued
            )
            try await stage.play([.expect(rxUUID)], as: second)
        }
    }
}
