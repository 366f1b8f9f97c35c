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
        try await World.withSubscribers { world in
            let (phone, tablet) = await world.two()
            let central = try #require(await world.run { $0.identifier("phone") })
            await world.run { world in
                while world.notify([0, 0], to: "phone") == nil {
                    guard world.characteristic?.subscribers.first?.waitingValueCount == 0 else {
                        break
                    }
                }
                world.notifyAndNote([5], to: "phone")
                world.daemon?.setConnected(false)
            }
            let journal = await world.wait(for: "phone disconnected")
            #expect(
                journal == [
                    "not sent [5]: \(BluejayError.notSubscribed(central))",
                    #"subscribers ["tablet"]"#, "phone disconnected",
                ]
            )
            await world.run { world in
                phone?.read()
                tablet?.read()
                #expect(world.notify([6], to: "tablet") == nil)
            }
            await world.wait(for: "tablet [6]")
            await world.wait(for: "phone closed")
        }
    }

    @Test("A central whose object is removed counts as disconnected")
    func removed() async throws {
        try await World.withSubscribers { world in
            let sockets = await world.two()
            await world.run { $0.daemon?.removeDevice(Self.tablet) }
            let journal = await world.wait(for: "tablet disconnected")
            #expect(journal.first == #"subscribers ["phone"]"#)
            _ = sockets
        }
    }

    @Test(
        "A central whose socket closes stays connected and can subscribe again"
    )
    func mute() async throws {
        try await World.withSubscribers { world in
            var (phone, tablet) = await world.two()
            let central = try #require(await world.run { $0.identifier("phone") })
            phone = nil
            await world.wait(for: #"subscribers ["tablet"]"#)
            #expect(await world.run { $0.server?.connectedDevices.count } == 2)
            #expect(await world.run { $0.notify([1], to: "phone") } == .notSubscribed(central))
            await world.run { [tablet] world in
                tablet?.read()
                #expect(AttributeTests.notify([2])(world) == true)
            }
            await world.wait(for: "tablet [2]")
            phone = await world.subscribe(Self.phone)
            await world.wait(for: #"subscribers ["tablet", "phone"]"#)
            await world.run { [phone] world in
                phone?.read()
                #expect(world.notify([3], to: "phone") == nil)
            }
            await world.wait(for: "phone [3]")
            tablet = nil
        }
    }

    @Test("Killing bluetoothd ends each of two subscriptions once, and both can return")
    func killed() async throws {
        try await World.withSubscribers { world in
            let sockets = await world.two()
            let central = try #require(await world.run { $0.identifier("phone") })
            await world.run { world in
                _ = world.fill("phone")
                world.notifyAndNote([1], to: "tablet")
            }
            await world.wait(for: "sent [1]")
            await world.killDaemon()
            let lost = await world.wait(for: "state \(BluetoothState.serviceNotRunning)")
            #expect(lost.filter { $0 == "unsubscribed" }.count == 1)
            #expect(lost.filter { $0 == "subscribers []" }.count == 1)
            #expect(await world.run { $0.characteristic?.subscribers } == [])
            #expect(
                await world.run { world in
                    guard let server = world.server, let characteristic = world.characteristic
                    else { return false }
                    do {
                        try server.notify(Data([1]), on: characteristic, to: central)
                        return false
                    } catch {
                        return error as? BluejayError == .notSubscribed(central)
                    }
                }
            )
            try await world.startDaemon()
            await world.wait(for: "registered application")
            await world.run { $0.daemon?.setModalias(World.newVersion) }
            let (phone, _) = await world.two()
            await world.run { world in
                phone?.read()
                #expect(world.notify([4], to: "phone") == nil)
            }
            await world.wait(for: "phone [4]")
            _ = sockets
        }
    }

    @Test("Releasing the server in a subscriber callback ends everything once")
    func released() async throws {
        try await World.withSubscribers { world in
            await world.connect(Self.phone)
            await world.run { world in
                world.characteristic?.onSubscribersChange = { [weak world] subscribers in
                    world?.note("subscribers \(subscribers.count)")
                    guard !subscribers.isEmpty else { return }
                    world?.notifyAndNote([1], to: "phone")
                    _ = world?.fill("phone")
                    world?.server = nil
                }
            }
            let socket = await world.subscribe(Self.phone)
            let journal = await world.wait(for: "subscribers 0")
            #expect(journal.filter { $0.hasPrefix("sent") }.count <= 1)
            await world.run { _ in socket?.read() }
            await world.wait(for: "phone closed")
        }
    }

    @Test("A completion that sends again does not grow the stack")
    func again() async throws {
        try await World.withSubscribers { world in
            await world.connect(Self.phone)
            let socket = await world.subscribe(Self.phone)
            await world.run { world in
                socket?.read()
                Self.sendAgain(world, 2_000)
            }
            await world.wait(for: "enough")
        }
    }

    static func sendAgain(_ world: World, _ count: Int) {
        guard count > 0 else { return world.note("enough") }
        guard let server = world.server, let characteristic = world.characteristic,
            let central = world.identifier("phone")
        else { return }
        server.notify(Data([1]), on: characteristic, to: central) { result in
            if case .success = result { sendAgain(world, count - 1) }
        }
    }

    @Test("Two servers of one program have separate subscribers")
    func twoServers() async throws {
        try await World.withSubscribers { world in
            await world.run { world in
                guard let engine = world.engine else { return }
                let other = GATTServer(mainLoop: world.loop, adapter: nil) { engine }
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
                    world.note("other added", result)
                }
                world.other = (other, characteristic)
            }
            await world.wait(for: "other added")
            await world.connect(Self.phone)
            let socket = await world.subscribe(Self.phone)
            let central = try #require(await world.run { $0.identifier("phone") })
            await world.run { world in
                guard let (other, characteristic) = world.other, let own = world.characteristic
                else { return world.note("no servers") }
                let subscribed = own.subscribers.count + characteristic.subscribers.count
                world.note("\(subscribed) subscribed")
                #expect(throws: BluejayError.notAdded(own.uuid)) {
                    try other.notify(Data([1]), on: own, to: central)
                }
                world.other = nil
            }
            await world.wait(for: "1 subscribed")
            _ = socket
        }
    }

    // MARK: Requests

    @Test(
        "64 requests of a central wait; the next one is rejected, but not that of another central"
    )
    func unanswered() async throws {
        try await World.withServer { world in
            let (gate, open) = AsyncStream<Void>.makeStream()
            await world.publish { world in
                LocalCharacteristic(
                    uuid: BluetoothUUID(uint16: 0x2A39),
                    properties: .write,
                    onWrite: { request in
                        for await _ in gate {}
                        request.accept()
                    }
                )
            }
            await world.run { world in
                for number in 0..<65 { Self.write(world, number, Self.phone) }
                Self.write(world, 65, Self.tablet)
            }
            let refused = await world.wait(for: "64 refused")
            #expect(refused == ["64 refused"])
            #expect(await world.run { $0.server?.rejectedRequestCount } == 1)
            open.finish()
            let journal = await world.wait(for: "65 accepted")
            #expect(journal == (0..<64).map { "\($0) accepted" } + ["65 accepted"])
            await world.run { Self.write($0, 66, Self.phone) }
            await world.wait(for: "66 accepted")
        }
    }

    static func write(_ world: World, _ number: Int, _ central: ObjectPath) {
        let arguments: [BusValue] = [.bytes([1]), World.options(of: central)]
        world.daemon?.call(World.characteristicPath, "WriteValue", arguments) { result in
            switch result {
            case .success: world.note("\(number) accepted")
            case .failure(let error):
                let isUnlikely = error == ATTErrorReply.error(.unlikelyError)
                world.note("\(number) \(isUnlikely ? "refused" : "\(error)")")
            }
        }
    }
}
