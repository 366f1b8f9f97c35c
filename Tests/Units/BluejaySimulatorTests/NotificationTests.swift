import BluejayDBus
import BluejaySimulator
import Dispatch
import TestTraits
import Testing

/// Tests `ClientCharacteristic`.
@Suite("Notifications, as recorded (gatt.txt)", .timeLimit(.minutes(15)))
struct NotificationTests {
    private let path = "~F0_F1_F2_F3_F4_F5/service000e/char"

    private func send(_ value: [UInt8], _ number: String, in stage: SimulatorStage) async {
        let uuid = SimulatorStage.service + number
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.send(value, on: uuid) }
    }

    @Test("Notifying changes before the reply, and each value is a property change")
    func order() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.characteristic("0011", "StopNotify")
        await stage.characteristic("0011", "StartNotify")
        await stage.characteristic("0011", "StartNotify")
        await send([1], "2", in: stage)
        await send([1], "2", in: stage)
        _ = await stage.client.objects()
        await stage.characteristic("0011", "AcquireNotify")
        await stage.characteristic("0011", "StopNotify")
        await stage.characteristic("0011", "StopNotify")
        await send([2], "2", in: stage)
        let none = "ERR StopNotify org.bluez.Error.Failed \"No notify session started\""
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call StopNotify", none,
                "call StartNotify", "SIG \(path)0011 [Notifying true] []", "ret StartNotify",
                "call StartNotify", "ret StartNotify",
                "SIG \(path)0011 [Value <01>] []", "SIG \(path)0011 [Value <01>] []",
                "call AcquireNotify",
                "ERR AcquireNotify org.bluez.Error.InProgress \"In Progress\"",
                "call StopNotify", "SIG \(path)0011 [Notifying false] []", "ret StopNotify",
                "call StopNotify", none,
            ]
        )
    }

    @Test("A characteristic without the flag refuses StartNotify")
    func unsupported() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        for member in ["StartNotify", "AcquireNotify"] {
            let result = await stage.characteristic("000f", member)
            #expect(result.outcome == "org.bluez.Error.NotSupported \"Operation is not supported\"")
        }
    }

    @Test(
        "Each client has its own subscription, which ends when the client leaves (two_clients.txt)",
        .fault(.programKilled, during: .listen)
    )
    func twoClients() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        let other = try await BusClient(stage.system.busAddress)
        await stage.characteristic("0011", "StartNotify")
        await other.call(SimulatorStage.path("0011"), "GattCharacteristic1", "StartNotify")
        await stage.characteristic("0011", "StopNotify")
        let notifying = await stage.client.property(
            SimulatorStage.path("0011"),
            "GattCharacteristic1",
            "Notifying"
        )
        #expect(notifying == .boolean(true))
        await other.leave()
        await stage.client.wait(for: "SIG \(path)0011 [Notifying false]")
        let uuid = SimulatorStage.service + "2"
        let count = await stage.system.read {
            $0.device("F0:F1:F2:F3:F4:F5")?.listenerCount(of: uuid)
        }
        #expect(count == 0)
    }

    @Test(
        "Each value is signalled once per subscribed client, and each client receives all signals"
    )
    func signalForEachListener() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        let other = try await BusClient(stage.system.busAddress)
        await stage.characteristic("0011", "StartNotify")
        await other.call(SimulatorStage.path("0011"), "GattCharacteristic1", "StartNotify")
        for value: UInt8 in [7, 8] { await send([value], "2", in: stage) }
        let twice = ["07", "07", "08", "08"].map { "SIG \(path)0011 [Value <\($0)>] []" }
        #expect(await values(of: stage.client) == twice)
        #expect(await values(of: other) == twice)
        await other.call(SimulatorStage.path("0011"), "GattCharacteristic1", "StopNotify")
        await send([9], "2", in: stage)
        #expect(await values(of: other) == ["SIG \(path)0011 [Value <09>] []"])
    }

    /// Returns the values that a client has received since the previous call of this method.
    private func values(of client: BusClient) async -> [String] {
        _ = await client.objects()
        return await client.taken().filter { $0.contains("Value") }
    }

    @Test(
        "Notifying stays true after a lost link, and bluetoothd subscribes again",
        .pitfall(.subscriptionOutlivesLink)
    )
    func resubscription() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.characteristic("0014", "StartNotify")
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.dropLink() }
        await stage.client.wait(for: "SIG ~F0_F1_F2_F3_F4_F5 [ServicesResolved false")
        _ = await stage.client.taken()
        await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        await stage.client.wait(for: "SIG ~F0_F1_F2_F3_F4_F5 [ServicesResolved true")
        await stage.system.pass(.milliseconds(20))
        await send([9], "3", in: stage)
        await stage.client.wait(for: "SIG \(path)0014 [Value <09>]")
        #expect(await stage.client.taken().contains { $0.contains("Notifying") } == false)
    }

    @Test(
        "Without a link only StartNotify succeeds, and takes effect before the services are resolved"
    )
    func withoutLink() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.client.call(SimulatorStage.device, "Device1", "Disconnect")
        await stage.client.wait(for: "SIG ~F0_F1_F2_F3_F4_F5 [Connected false]")
        let notConnected = "org.bluez.Error.Failed \"Not connected\""
        #expect(await stage.characteristic("0011", "StartNotify").outcome == "ok")
        let again = await stage.characteristic("0011", "StartNotify")
        #expect(again.outcome == "org.bluez.Error.InProgress \"In Progress\"")
        #expect(await stage.characteristic("0011", "AcquireNotify").outcome == notConnected)
        #expect(await stage.characteristic("000f", "AcquireNotify").outcome == notConnected)
        #expect(await stage.characteristic("0011", "AcquireWrite").outcome == notConnected)
        let tooLong = [UInt8](repeating: 0, count: 513)
        #expect(await stage.write("000f", tooLong).outcome == notConnected)
        _ = await stage.client.taken()
        await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        await stage.client.wait(for: "SIG ~F0_F1_F2_F3_F4_F5 [ServicesResolved true")
        #expect(
            await stage.client.taken() == [
                "call Connect", "SIG ~F0_F1_F2_F3_F4_F5 [Connected true] []", "ret Connect",
                "SIG \(path)0011 [Notifying true] []",
                "SIG ~F0_F1_F2_F3_F4_F5 [ServicesResolved true] []",
            ]
        )
    }

    @Test(
        "Acquired notifications arrive at the socket, which closes with the link",
        .pitfall(.acquiredExcludesOthers, .socketLifetime)
    )
    func acquiredNotify() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        let result = await stage.characteristic("0011", "AcquireNotify")
        guard case .fileDescriptor(let end)? = (try? result.get())?.first else {
            Issue.record("\(result)")
            return
        }
        #expect((try? result.get())?.last == .uint16(517))
        let refused = "org.bluez.Error.NotPermitted \"Notify acquired\""
        #expect(await stage.characteristic("0011", "AcquireNotify").outcome == refused)
        #expect(await stage.characteristic("0011", "StartNotify").outcome == refused)
        let socket = SequencedPacketSocket(end)
        await send([1, 2, 3], "2", in: stage)
        #expect(socket.receive(atMost: 600) == .packet([1, 2, 3]))
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.dropLink() }
        await stage.client.wait(for: "SIG \(path)0011 [NotifyAcquired false]")
        #expect(socket.receive(atMost: 600) == .closed)
    }

    @Test(
        "An acquired write blocks others, and packets are silently truncated to 512 bytes",
        .pitfall(.acquiredWrite)
    )
    func acquiredWrite() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        let result = await stage.characteristic("000f", "AcquireWrite")
        guard case .fileDescriptor(let end)? = (try? result.get())?.first else {
            Issue.record("\(result)")
            return
        }
        let refused = "org.bluez.Error.NotPermitted \"Write acquired\""
        #expect(await stage.characteristic("000f", "AcquireWrite").outcome == refused)
        #expect(await stage.write("000f", [1], type: "command").outcome == refused)
        #expect(await stage.write("000f", [1], type: "request").outcome == refused)
        let socket = SequencedPacketSocket(end)
        for length in [5, 600] { socket.send([UInt8](repeating: 1, count: length)) }
        await stage.system.pass(.milliseconds(20))
        let lengths = await stage.system.read {
            $0.device("F0:F1:F2:F3:F4:F5")?.writes.map(\.value.count)
        }
        #expect(lengths == [5, 512])
        #expect(await stage.characteristic("001b", "AcquireWrite").outcome.contains("NotSupported"))
    }

    @Test("Closing the socket releases the characteristic")
    func released() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.characteristic("0011", "AcquireNotify")
        await stage.client.wait(for: "SIG \(path)0011 [NotifyAcquired false]")
        #expect(await stage.characteristic("0011", "StartNotify").outcome == "ok")
    }
}
