import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import Foundation
import Testing

/// A server on hci1 of a simulated BlueZ, and centrals on hci0 and hci2 as separate programs.
final class CentralsStage: @unchecked Swift.Sendable {
    static let service = ServiceIdentifier(uuid: "180D")
    static let measurement = CharacteristicIdentifier(uuid: "2A37", service: service)

    let system: SimulatedSystem
    let server: GATTServer
    // Used only on the server's loop.
    private let characteristic = LocalCharacteristic(
        uuid: BluetoothUUID(uint16: 0x2A37),
        properties: [.read, .notify],
        subscriptions: .perCentral
    )
    private let changes: AsyncStream<[String]>
    private let slot: BusSlot

    /// - Parameters:
    ///   - kind: The version of bluetoothd.
    ///   - modalias: The version that the adapters claim, or `nil` for the true one.
    /// - Throws: The error of the start.
    init(_ kind: SimulatedBlueZVersion, modalias: String? = nil) async throws {
        slot = await BusSlot.acquire()
        var options = SimulatorOptions()
        options.version = kind
        options.modalias = modalias
        options.adapters = 3
        // A time limit of bluetoothd must stay at a second or more on a busy machine.
        options.timeScale = 0.05
        system = try await SimulatedSystem.start(options)
        let loop = MainLoop(threadName: "crowd")
        server = GATTServer(mainLoop: loop, adapter: "hci1", busAddress: system.busAddress)
        let (changes, reports) = AsyncStream<[String]>.makeStream()
        self.changes = changes
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post { [self] in
                characteristic.onSubscribersChange = { reports.yield($0.map(Self.adapter)) }
                server.start()
                server.add(
                    LocalService(
                        uuid: BluetoothUUID(uint16: 0x180D),
                        characteristics: [characteristic]
                    )
                )
                let advertisement = LocalAdvertisement(
                    serviceUUIDs: [BluetoothUUID(uint16: 0x180D)]
                )
                server.startAdvertising(advertisement) { continuation.resume(with: $0) }
            }
        }
    }

    deinit {
        server.mainLoop.stop()
    }

    /// Waits until exactly these adapters are subscribed, in this order.
    func wait(
        forSubscribers adapters: [String],
        _ location: SourceLocation = #_sourceLocation
    ) async {
        let wait = Task { [changes] in
            var last: [String]?
            for await names in changes {
                if names == adapters { return }
                last = names
            }
            Issue.record(
                "\(adapters) are not subscribed; the last change was to \(last ?? [])",
                sourceLocation: location
            )
        }
        let end = Self.atLimit { wait.cancel() }
        await wait.value
        end.cancel()
    }

    /// Runs `work` after a minute, unless the task is cancelled earlier.
    fileprivate static func atLimit(_ work: @escaping @Sendable () async -> Void) -> Task<
        Void, Never
    > {
        Task {
            do {
                try await Task.sleep(for: .seconds(60))
                await work()
            } catch {}
        }
    }

    private static func adapter(_ subscriber: Subscriber) -> String {
        let name = "\(subscriber.central)".contains("00:AA:01:00:00:00") ? "hci0" : "hci2"
        return subscriber.sharesValues ? "\(name) without a socket" : name
    }

    func central(_ adapter: String) async throws -> Central {
        let bluejay = Bluejay(
            mainLoop: MainLoop(threadName: adapter),
            adapter: adapter,
            busAddress: system.busAddress
        )
        await bluejay.start()
        for try await found in bluejay.scan(serviceIdentifiers: [Self.service]) {
            try await bluejay.connect(found.peripheralIdentifier, timeout: .seconds(20))
            break
        }
        return Central(bluejay)
    }

    func run<R: Swift.Sendable>(
        _ work: @escaping @Sendable (GATTServer, LocalCharacteristic) -> R
    ) async -> R {
        await withCheckedContinuation { continuation in
            server.mainLoop.post { [self] in
                continuation.resume(returning: work(server, characteristic))
            }
        }
    }

    /// Notifies one central, or all; returns the error thrown.
    func notify(_ bytes: [UInt8], to adapter: String? = nil) async -> BluejayError? {
        await run { server, characteristic in
            do {
                guard let adapter else {
                    try server.notify(Data(bytes), on: characteristic)
                    return nil
                }
                let address = adapter == "hci0" ? "00:AA:01:00:00:00" : "00:AA:01:02:00:02"
                guard
                    let central = server.connectedDevices.first(where: {
                        "\($0)".contains(address)
                    })
                else { return .notConnected }
                try server.notify(Data(bytes), on: characteristic, to: central)
                return nil
            } catch {
                return error as? BluejayError
            }
        }
    }

    actor Central {
        let bluejay: Bluejay
        private(set) var values: [[UInt8]] = []
        private var listening: Task<Void, Never>?
        private var waiters: [(count: Int, resume: CheckedContinuation<Void, Never>)] = []

        init(_ bluejay: Bluejay) {
            self.bluejay = bluejay
        }

        /// Subscribes and waits until bluetoothd has the subscription.
        func listen() async throws {
            let stream = bluejay.values(of: CentralsStage.measurement, as: Data.self)
            listening = Task {
                do {
                    for try await value in stream { take([UInt8](value)) }
                } catch {
                    return
                }
            }
            // This read waits in the queue for the subscription.
            let _: Data = try await bluejay.read(from: CentralsStage.measurement)
        }

        private func take(_ value: [UInt8]) {
            values.append(value)
            let ready = waiters.filter { $0.count <= values.count }
            waiters.removeAll { $0.count <= values.count }
            for waiter in ready { waiter.resume.resume() }
        }

        /// The first `count` values, or fewer after a minute.
        func first(_ count: Int) async -> [[UInt8]] {
            if values.count < count {
                let end = CentralsStage.atLimit { await self.releaseAll() }
                await withCheckedContinuation { waiters.append((count, $0)) }
                end.cancel()
            }
            return values
        }

        private func releaseAll() {
            let all = waiters
            waiters = []
            for waiter in all { waiter.resume.resume() }
        }

        func leave() async throws {
            try await bluejay.disconnect()
        }
    }
}
