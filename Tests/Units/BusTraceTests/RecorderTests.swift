import BluejayDBus
import BluejayGLib
import BluejaySimulator
import BusTrace
import Foundation
import Testing

@Suite("A recorder", .timeLimit(.minutes(15)))
struct RecorderTests {
    @Test("A recorder receives a whole conversation with the simulated BlueZ, in order")
    func conversation() async throws {
        let system = try await SimulatedSystem.start()
        let recorder = try await BusRecorder.start(busAddress: system.busAddress)
        let caller = Caller(system.busAddress)
        await caller.call("/org/bluez/hci0", "StartDiscovery")
        await caller.call("/org/bluez/hci0", "StartDiscovery")
        await caller.call("/org/bluez/hci0", "StopDiscovery")
        await caller.call("/org/bluez/hci1", "StopDiscovery")
        let messages = await recorder.stop()
        let trace = TraceNormalizer().trace(of: messages)
        #expect(
            trace.events.filter { !$0.hasPrefix("signal ") } == [
                "call StartDiscovery hci0", "reply StartDiscovery hci0: ok",
                "call StartDiscovery hci0",
                "error StartDiscovery hci0: org.bluez.Error.InProgress "
                    + "\"Operation already in progress\"",
                "call StopDiscovery hci0", "reply StopDiscovery hci0: ok",
            ]
        )
        #expect(await recorder.stop() == messages)
        system.stop()
    }

    @Test("A recorder distinguishes the callers by process")
    func processes() async throws {
        let system = try await SimulatedSystem.start()
        let caller = Caller(system.busAddress)
        let recorder = try await BusRecorder.start(busAddress: system.busAddress)
        await caller.call("/org/bluez/hci0", "StopDiscovery")
        let late = Caller(system.busAddress)
        await late.call("/org/bluez/hci0", "StopDiscovery")
        let messages = await recorder.stop()
        let own = Int(ProcessInfo.processInfo.processIdentifier)
        let mine = TraceNormalizer(clients: .processes([own])).trace(of: messages)
        #expect(mine.events.filter { $0 == "call StopDiscovery hci0" }.count == 2)
        let others = TraceNormalizer(clients: .processes([1])).trace(of: messages)
        #expect(others.events.isEmpty)
        system.stop()
    }

    @Test("A recorder receives the loss and return of bluetoothd, and the error from the bus")
    func restart() async throws {
        let system = try await SimulatedSystem.start()
        let recorder = try await BusRecorder.start(busAddress: system.busAddress)
        let caller = Caller(system.busAddress)
        await system.killDaemon()
        await caller.call("/org/bluez/hci0", "StopDiscovery")
        try await system.startDaemon()
        await caller.call("/org/bluez/hci0", "StopDiscovery")
        let trace = TraceNormalizer().trace(of: await recorder.stop())
        let told = trace.events.filter { !$0.hasPrefix("signal added ") }
        #expect(
            told == [
                "signal org.bluez gone", "call StopDiscovery hci0",
                "error StopDiscovery hci0: org.freedesktop.DBus.Error.ServiceUnknown "
                    + "\"The name org.bluez was not provided by any .service files\"",
                "signal org.bluez appeared", "call StopDiscovery hci0",
                "error StopDiscovery hci0: org.bluez.Error.Failed \"No discovery started\"",
            ]
        )
        system.stop()
    }

    @Test("A recorder does not reply to calls of others and stays connected")
    func silence() async throws {
        let system = try await SimulatedSystem.start()
        let recorder = try await BusRecorder.start(busAddress: system.busAddress)
        let caller = Caller(system.busAddress)
        let ping = await caller.call("/", "Ping", interface: "org.freedesktop.DBus.Peer")
        #expect(ping == "ok")
        await caller.call("/org/bluez/hci0", "StopDiscovery")
        let trace = TraceNormalizer().trace(of: await recorder.stop())
        #expect(trace.events.first == "call StopDiscovery hci0")
        system.stop()
    }

    @Test("A recorder without a bus throws an error")
    func noBus() async {
        await #expect(throws: BusError.self) {
            _ = try await BusRecorder.start(busAddress: "unix:path=/nowhere")
        }
    }

    @Test("The loss of the bus ends a recorder, which keeps the received messages")
    func busGone() async throws {
        let system = try await SimulatedSystem.start()
        let recorder = try await BusRecorder.start(busAddress: system.busAddress)
        let caller = Caller(system.busAddress)
        // The last calls may be on their way to the recorder when the bus is killed.
        for _ in 0..<10 { await caller.call("/org/bluez/hci0", "StopDiscovery") }
        system.stop()
        await caller.callUntilLost()
        let trace = TraceNormalizer().trace(of: await recorder.stop())
        #expect(trace.events.first == "call StopDiscovery hci0")
    }
}

/// A client that calls `org.bluez` and waits; used on its context only.
private final class Caller: @unchecked Sendable {
    private let context = MainContext()
    private let address: String
    private var connection: BusConnection?

    init(_ address: String) {
        self.address = address
        context.startThread(named: "caller")
    }

    deinit {
        context.quit()
    }

    /// Makes a call; returns the name of the error, or `ok`.
    @discardableResult
    func call(
        _ path: ObjectPath,
        _ member: String,
        interface: String = "org.bluez.Adapter1"
    ) async -> String {
        await withCheckedContinuation { continuation in
            context.post { [self] in
                if connection == nil {
                    connection = try? BusConnection(.address(address), on: context)
                }
                let call = MethodCall(to: "org.bluez", at: path, interface, member)
                connection?.call(call, timeout: .seconds(10)) { result in
                    switch result {
                    case .success: continuation.resume(returning: "ok")
                    case .failure(let error): continuation.resume(returning: error.name)
                    }
                }
            }
        }
    }

    /// Makes calls until the bus has ended.
    func callUntilLost() async {
        while await call("/", "Ping", interface: "org.freedesktop.DBus.Peer")
            != BusError.disconnected.name
        {}
    }
}
