import Bluejay
import BluejayBlueZ
import BluejayDBus
import BluejayGLib
import Foundation
import TestSupport
import Testing

@testable import BluejayGATTServer

@Suite("Disconnections and faults of subscribers", .timeLimit(.minutes(15)))
struct SubscriberFaultTests {
    static let phone = FakeDaemon.central
    static let tablet = FakeDaemon.secondCentral

    @Test(
        "A disconnected central loses its queued values once, and the other one is not affected"
    )
    func leaves() async throws {
        try await ServerStage.withSubscribers { stage in
            let (phone, tablet) = await stage.two()
            let central = try #require(await stage.run { $0.identifier("phone") })
            await stage.run { stage in
                while stage.notify([0, 0], to: "phone") == nil {
                    guard stage.characteristic?.subscribers.first?.waitingValueCount == 0 else {
                        break
                    }
                }
                stage.notifyAndNote([5], to: "phone")
                stage.daemon?.setConnected(false)
            }
            let journal = await stage.wait(for: "phone disconnected")
            #expect(
                journal == [
                    "not sent [5]: \(BluejayError.notSubscribed(central))",
                    #"subscribers ["tablet"]"#, "phone disconnected",
                ]
            )
            await stage.run { stage in
                phone?.read()
                tablet?.read()
                #expect(stage.notify([6], to: "tablet") == nil)
            }
            await stage.wait(for: "tablet [6]")
            await stage.wait(for: "phone closed")
        }
    }

    @Test("A central whose object is removed counts as disconnected")
    func removed() async throws {
        try await ServerStage.withSubscribers { stage in
            let sockets = await stage.two()
            await stage.run { $0.daemon?.removeDevice(Self.tablet) }
            let journal = await stage.wait(for: "tablet disconnected")
            #expect(journal.first == #"subscribers ["phone"]"#)
            _ = sockets
        }
    }

    @Test(
        "A central whose socket closes stays connected and can subscribe again"
    )
    func mute() async throws {
        try await ServerStage.withSubscribers { stage in
            var (phone, tablet) = await stage.two()
            let central = try #require(await stage.run { $0.identifier("phone") })
            phone = nil
            await stage.wait(for: #"subscribers ["tablet"]"#)
            #expect(await stage.run { $0.server?.connectedDevices.count } == 2)
            #expect(await stage.run { $0.notify([1], to: "phone") } == .notSubscribed(central))
            await stage.run { [tablet] stage in
                tablet?.read()
                #expect(AttributeTests.notify([2])(stage) == true)
            }
            await stage.wait(for: "tablet [2]")
            phone = await stage.subscribe(Self.phone)
            await stage.wait(for: #"subscribers ["tablet", "phone"]"#)
            await stage.run { [phone] stage in
                phone?.read()
                #expect(stage.notify([3], to: "phone") == nil)
            }
            await stage.wait(for: "phone [3]")
            tablet = nil
        }
    }

    @Test("Killing bluetoothd ends each of two subscriptions once, and both can return")
    func killed() async throws {
        try await ServerStage.withSubscribers { stage in
            let sockets = await stage.two()
            let central = try #require(await stage.run { $0.identifier("phone") })
            await stage.run { stage in
                _ = stage.fill("phone")
                stage.notifyAndNote([1], to: "tablet")
            }
            await stage.wait(for: "sent [1]")
            await stage.killDaemon()
            let lost = await stage.wait(for: "state \(BluetoothState.serviceNotRunning)")
            #expect(lost.filter { $0 == "unsubscribed" }.count == 1)
            #expect(lost.filter { $0 == "subscribers []" }.count == 1)
            #expect(await stage.run { $0.characteristic?.subscribers } == [])
            #expect(
                await stage.run { stage in
                    guard let server = stage.server, let characteristic = stage.characteristic
                    else { return false }
                    do {
                        try server.notify(Data([1]), on: characteristic, to: central)
                        return false
                    } catch {
                        return error as? BluejayError == .notSubscribed(central)
                    }
                }
            )
            try await stage.startDaemon()
            await stage.wait(for: "registered application")
            await stage.run { $0.daemon?.setModalias(ServerStage.newVersion) }
            let (phone, _) = await stage.two()
            await stage.run { stage in
                phone?.read()
                #expect(stage.notify([4], to: "phone") == nil)
            }
            await stage.wait(for: "phone [4]")
            _ = sockets
        }
    }

    @Test("Releasing the server in a subscriber callback ends everything once")
    func released() async throws {
        try await ServerStage.withSubscribers { stage in
            await stage.connect(Self.phone)
            await stage.run { stage in
                stage.characteristic?.onSubscribersChange = { [weak stage] subscribers in
                    stage?.note("subscribers \(subscribers.count)")
                    guard !subscribers.isEmpty else { return }
                    stage?.notifyAndNote([1], to: "phone")
                    _ = stage?.fill("phone")
                    stage?.server = nil
                }
            }
            let socket = await stage.subscribe(Self.phone)
            let journal = await stage.wait(for: "subscribers 0")
            #expect(journal.filter { $0.hasPrefix("sent") }.count <= 1)
            await stage.run { _ in socket?.read() }
            await stage.wait(for: "phone closed")
        }
    }

    @Test("A completion that sends again does not grow the stack")
    func again() async throws {
        try await ServerStage.withSubscribers { stage in
            await stage.connect(Self.phone)
            let socket = await stage.subscribe(Self.phone)
            await stage.run { stage in
                socket?.read()
                Self.sendAgain(stage, 2_000)
            }
            await stage.wait(for: "enough")
        }
    }

    static func sendAgain(_ stage: ServerStage, _ count: Int) {
        guard count > 0 else { return stage.note("enough") }
        guard let server = stage.server, let characteristic = stage.characteristic,
            let central = stage.identifier("phone")
        else { return }
        server.notify(Data([1]), on: characteristic, to: central) { result in
            if case .success = result { sendAgain(stage, count - 1) }
        }
    }

    @Test("Two servers of one program have separate subscribers")
    func twoServers() async throws {
        try await ServerStage.withSubscribers { stage in
            await stage.run { stage in
                guard let engine = stage.engine else { return }
                let other = GATTServer(mainLoop: stage.loop, adapter: nil) { engine }
                let characteristic = LocalCharacteristic(
                    uuid: BluetoothUUID(uint16: 0x2A38),
                    properties: .notify,
                    subscriptions: .perCentral
                )
                other.start()
                other.add(
                    LocalService(
                        uuid: BluetoothUUID(uint16: 0x180F),
                        characteristics: [characteristic]
                    )
                ) { result in
                    stage.note("other added", result)
                }
                stage.other = (other, characteristic)
            }
            await stage.wait(for: "other added")
            await stage.connect(Self.phone)
            let socket = await stage.subscribe(Self.phone)
            let central = try #require(await stage.run { $0.identifier("phone") })
            await stage.run { stage in
                guard let (other, characteristic) = stage.other, let own = stage.characteristic
                else { return stage.note("no servers") }
                let subscribed = own.subscribers.count + characteristic.subscribers.count
                stage.note("\(subscribed) subscribed")
                #expect(throws: BluejayError.notAdded(own.uuid)) {
                    try other.notify(Data([1]), on: own, to: central)
                }
                stage.other = nil
            }
            await stage.wait(for: "1 subscribed")
            _ = socket
        }
    }

    // MARK: Requests

    @Test(
        "64 requests of a central wait; the next one is rejected, but not that of another central"
    )
    func unanswered() async throws {
        try await ServerStage.withServer { stage in
            let (gate, open) = AsyncStream<Void>.makeStream()
            await stage.publish { stage in
                LocalCharacteristic(
                    uuid: BluetoothUUID(uint16: 0x2A39),
                    properties: .write,
                    onWrite: { request in
                        for await _ in gate {}
                        request.accept()
                    }
                )
            }
            await stage.run { stage in
                for number in 0..<65 { Self.write(stage, number, Self.phone) }
                Self.write(stage, 65, Self.tablet)
            }
            let refused = await stage.wait(for: "64 refused")
            #expect(refused == ["64 refused"])
            #expect(await stage.run { $0.server?.rejectedRequestCount } == 1)
            open.finish()
            let journal = await stage.wait(for: "65 accepted")
            #expect(journal == (0..<64).map { "\($0) accepted" } + ["65 accepted"])
            await stage.run { Self.write($0, 66, Self.phone) }
            await stage.wait(for: "66 accepted")
        }
    }

    static func write(_ stage: ServerStage, _ number: Int, _ central: ObjectPath) {
        let arguments: [BusValue] = [.bytes([1]), ServerStage.options(of: central)]
        stage.daemon?.call(ServerStage.characteristicPath, "WriteValue", arguments) { result in
            switch result {
            case .success: stage.note("\(number) accepted")
            case .failure(let error):
                let isUnlikely = error == ATTErrorReply.error(.unlikelyError)
                stage.note("\(number) \(isUnlikely ? "refused" : "\(error)")")
            }
        }
    }
}
