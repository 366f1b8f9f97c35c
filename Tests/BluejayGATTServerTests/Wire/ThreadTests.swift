import Bluejay
import Foundation
import TestSupport
import Testing

@testable import BluejayGATTServer

@Suite("A server and the threads of its program", .timeLimit(.minutes(15)))
struct ThreadTests {
    @Test("Its state is read from any thread, as the callbacks told it")
    func state() async throws {
        try await World.withServer { world in
            let server = try #require(await world.run { $0.server })
            #expect(server.hasStarted)
            #expect(server.bluetoothState == .poweredOn)
            #expect(!server.isAdvertising)
            await world.run(AvailabilityTests.advertise)
            await world.wait(for: "advertising")
            #expect(server.isAdvertising)
            await world.run { $0.daemon?.setConnected(true) }
            await world.wait(for: "phone connected")
            #expect(server.connectedDevices.map(\.name) == ["phone"])
            await world.run { $0.server?.stopAdvertising() }
            await world.wait(for: "let go advertisement")
            #expect(!server.isAdvertising)
            await world.run { $0.daemon?.setPowered(false) }
            await world.wait(for: "state \(BluetoothState.poweredOff)")
            #expect(server.bluetoothState == .poweredOff)
            await world.run { world in world.server?.stop { world.note("stopped") } }
            await world.wait(for: "stopped")
            #expect(!server.hasStarted)
            #expect(server.connectedDevices.isEmpty)
        }
    }

    @Test("A completion comes after its call, so that one which repeats it does not fill the stack")
    func later() async throws {
        try await World.with(daemon: false) { world in
            await world.run { world in
                let server = GATTServer(mainLoop: world.loop)
                world.server = server
                Self.addAgain(server, world, 1_000)
                world.note("called")
            }
            let journal = await world.wait(for: "enough")
            #expect(journal == ["called", "enough"])
            await world.run { world in
                world.server?.stopAdvertising { world.note("no advertisement") }
                world.server?.stop { world.note("stopped") }
                world.note("called")
            }
            #expect(await world.wait(for: "stopped") == ["called", "no advertisement", "stopped"])
        }
    }

    static func addAgain(_ server: GATTServer, _ world: World, _ count: Int) {
        guard count > 0 else { return world.note("enough") }
        server.add(LocalService(uuid: BluetoothUUID(uint16: 0x180D), characteristics: [])) { _ in
            addAgain(server, world, count - 1)
        }
    }
}

// Each is a process of its own that ends in a crash, which takes its time on a busy machine.
@Suite("A server used off its loop", .serialized, .timeLimit(.minutes(15)))
struct OffLoopTests {
    @Test("A call from another thread ends the program with the way out", arguments: 0..<5)
    func elsewhere(index: Int) async {
        // A backtrace of the whole test program takes minutes on a busy machine.
        unsafe setenv("SWIFT_BACKTRACE", "enable=no", 1)
        ExitCase(of: "server").choose(index)
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let loop = MainLoop(threadName: "server")
            let server = GATTServer(mainLoop: loop)
            let characteristic = LocalCharacteristic(
                uuid: BluetoothUUID(uint16: 0x2A37),
                properties: .notify
            )
            switch ExitCase(of: "server").chosen {
            case 0: server.start()
            case 1: server.onStateChange = { _ in }
            case 2: _ = try server.notify(Data(), on: characteristic)
            case 3: server.advertise(LocalAdvertisement())
            default:
                let central = PeripheralIdentifier(uuid: UUID(), name: "phone")
                try server.notify(Data([1]), on: characteristic, to: central)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("is called off its main loop; call it inside MainLoop.post"))
    }
}
