import BluejayDBus
import Foundation
import TestSupport
import Testing

@testable import BluejayBlueZ

private let call = MethodCall(
    to: "org.bluez",
    at: "/org/bluez/hci0",
    "org.bluez.Adapter1",
    "StartDiscovery"
)

/// Tests `DaemonWatch`.
@Suite("A bluetoothd that restarts before the client notices", .timeLimit(.minutes(15)))
struct UnnoticedRestartTests {
    /// Drives the client only.
    private let loop = TestLoop()
    private let daemonLoop = TestLoop()
    private let bus: TestBus
    private let client: BlueZClient
    private let second: BusConnection
    private let received = Received()

    /// Gives the name to a second bluetoothd after the client has seen the first.
    init() throws {
        bus = try TestBus(daemonLoop)
        let address = BusAddress.address(bus.address)
        let first = try BusConnection(address, on: daemonLoop.context, clock: daemonLoop.clock)
        let second = try BusConnection(address, on: daemonLoop.context, clock: daemonLoop.clock)
        self.second = second
        try Self.acquireName(first, daemonLoop)
        let client = BlueZClient(on: loop.context, address: address, clock: loop.clock)
        self.client = client
        try loop.wait(for: "the first bluetoothd") { client.owner != nil }
        first.close()
        try Self.acquireName(second, daemonLoop)
        second.onMethodCall = { [received] message in
            received.members.append(message.member ?? "")
            return false
        }
    }

    /// The members of the calls that the second bluetoothd has received.
    private final class Received {
        var members: [String] = []
    }

    private static func acquireName(_ daemon: BusConnection, _ loop: TestLoop) throws {
        var isOwner = false
        func request() {
            daemon.requestName("org.bluez") { error in
                // The bus may not have noticed the end of the former owner.
                if error == nil { isOwner = true } else { request() }
            }
        }
        request()
        try loop.wait(for: "the name") { isOwner }
    }

    @Test("Calls to the earlier bluetoothd fail with daemonLost and do not reach the new one")
    func fails() throws {
        var failures: [BlueZFailure] = []
        func note<Value>(_ result: Result<Value, BusError>) {
            if case .failure(let error) = result { failures.append(BlueZFailure(error)) }
        }
        client.call(call) { note($0) }
        let template = try CallTemplate(call)
        _ = client.call(template, timeout: .seconds(25)) { note($0) }
        let bytes = try BytesCallTemplate(call, .properties([]))
        for value in [[1], [2], []] as [[UInt8]] {
            _ = client.call(bytes, Data(value), timeout: .seconds(25)) { note($0) }
        }
        try loop.wait(for: "the failures") { failures.count == 5 }
        #expect(failures.allSatisfy { $0 == .daemonLost })
        var isSettled = false
        second.call(MethodCall(to: "org.bluez", at: "/", "org.example.Test", "Settle")) { _ in
            isSettled = true
        }
        try daemonLoop.wait(for: "the earlier calls") { isSettled }
        #expect(!received.members.contains("StartDiscovery"))
        #expect(received.members.contains("Settle"))
    }

    @Test("Calls reach the new bluetoothd as soon as the client has detected it")
    func recovers() throws {
        let (client, former, received) = (client, client.owner, received)
        let template = try CallTemplate(call)
        let bytes = try BytesCallTemplate(call, .properties([]))
        var failureCount = 0
        _ = client.call(template, timeout: .seconds(25)) { _ in failureCount += 1 }
        _ = client.call(bytes, Data([1]), timeout: .seconds(25)) { _ in failureCount += 1 }
        let name = second.uniqueName
        try loop.wait(for: "the second bluetoothd") { failureCount == 2 && client.owner == name }
        #expect(former != nil && former != name)
        client.call(call) { _ in }
        _ = client.call(template, timeout: .seconds(25)) { _ in }
        _ = client.call(bytes, Data([2]), timeout: .seconds(25)) { _ in }
        try daemonLoop.wait(for: "the calls") {
            received.members.count { $0 == "StartDiscovery" } == 3
        }
    }

    @Test("A call without a known bluetoothd fails in a later iteration")
    func missing() throws {
        second.close()
        let client = client
        try loop.wait(for: "the end of bluetoothd") { client.state == .serviceNotRunning }
        var failure: BlueZFailure?
        client.call(call) { result in
            if case .failure(let error) = result { failure = BlueZFailure(error) }
        }
        #expect(failure == nil)
        try loop.wait(for: "the failure") { failure != nil }
        #expect(failure == .daemonLost)
        // A cancelled call has no reply.
        var isAnswered = false
        let cancelled = client.call(call) { _ in isAnswered = true }
        client.cancel(cancelled)
        var isLater = false
        client.call(call) { _ in isLater = true }
        try loop.wait(for: "a later failure") { isLater }
        #expect(!isAnswered)
    }
}
