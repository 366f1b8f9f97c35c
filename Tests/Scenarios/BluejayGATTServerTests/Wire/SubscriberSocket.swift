import Bluejay
import BluejayDBus
import BluejayGATTServer
import BluejayGLib
import Foundation

/// bluetoothd's end of a subscriber's socket; it reads on demand.
///
/// Used only on the stage's loop.
final class SubscriberSocket: @unchecked Swift.Sendable {
    let name: String
    private let socket: SequencedPacketSocket
    private let stage: ServerStage
    private var source: FileDescriptorSource?
    private(set) var packets: [[UInt8]] = []

    init(_ descriptor: BusFileDescriptor, _ name: String, _ stage: ServerStage) {
        self.name = name
        self.stage = stage
        socket = SequencedPacketSocket(descriptor)
    }

    deinit {
        source?.cancel()
    }

    /// Starts reading; the journal records packets as `NAME [bytes]` and the end as `NAME closed`.
    func read() {
        source = FileDescriptorSource(socket.descriptor.number, .readable, on: stage.loop.context) {
            [weak self] _ in
            guard let self else { return }
            switch socket.receive(atMost: 512) {
            case .packet(let packet):
                packets.append(packet)
                stage.note("\(name) \(packet)")
            case .wouldBlock: break
            case .closed, .failed:
                source?.cancel()
                stage.note("\(name) closed")
            }
        }
    }

    func confirm() {
        socket.send([1])
    }
}

extension ServerStage {
    static let characteristicPath = "service0/char0"
    static let newVersion = "usb:v1D6Bp0246d054C"

    /// A stage with a server whose only characteristic notifies subscribers individually.
    static func withSubscribers(
        _ modalias: String = newVersion,
        properties: AttributeProperties = [.read, .write, .notify],
        _ body: (ServerStage) async throws -> Void
    ) async throws {
        try await withServer { stage in
            await stage.run { $0.daemon?.setModalias(modalias) }
            await stage.publish { stage in
                let characteristic = LocalCharacteristic(
                    uuid: BluetoothUUID(uint16: 0x2A37),
                    properties: properties,
                    subscriptions: .perCentral
                )
                characteristic.onSubscribersChange = { [weak stage] in
                    stage?.note("subscribers \($0.map(\.central.name))")
                }
                return characteristic
            }
            try await body(stage)
        }
    }

    /// Reports a connected central as bluetoothd does.
    func connect(_ central: ObjectPath) async {
        let isPhone = central == FakeDaemon.central
        await run { $0.daemon?.setConnected(true, isPhone ? FakeDaemon.Device() : .tablet) }
        await wait(for: "\(Self.name(central)) connected")
    }

    static func name(_ central: ObjectPath) -> String {
        central == FakeDaemon.central ? "phone" : "tablet"
    }

    /// Subscribes a central as bluetoothd does; returns `nil` if the server returns no socket.
    func subscribe(_ central: ObjectPath, mtu: UInt16 = 100) async -> SubscriberSocket? {
        let result = await call(
            Self.characteristicPath,
            "AcquireNotify",
            [Self.options(of: central, mtu: mtu)]
        )
        guard case .success(let values) = result, values.count == 2,
            case .fileDescriptor(let end) = values[0], values[1] == .uint16(mtu)
        else { return nil }
        return SubscriberSocket(end, Self.name(central), self)
    }

    /// The phone and the tablet, connected and subscribed.
    func two() async -> (phone: SubscriberSocket?, tablet: SubscriberSocket?) {
        await connect(FakeDaemon.central)
        await connect(FakeDaemon.secondCentral)
        let phone = await subscribe(FakeDaemon.central)
        let tablet = await subscribe(FakeDaemon.secondCentral)
        await wait(for: #"subscribers ["phone", "tablet"]"#)
        return (phone, tablet)
    }

    /// The server's identifier of a central; call it on the loop.
    func identifier(_ name: String) -> PeripheralIdentifier? {
        server?.connectedDevices.first { $0.name == name }
    }

    /// Notifies one central; returns the error thrown.
    func notify(_ bytes: [UInt8], to name: String) -> BluejayError? {
        guard let server, let characteristic, let central = identifier(name) else {
            return .stopped
        }
        do {
            try server.notify(Data(bytes), on: characteristic, to: central)
            return nil
        } catch {
            return error as? BluejayError
        }
    }

    /// Notifies one central and records the result in the journal.
    func notifyAndNote(_ bytes: [UInt8], to name: String) {
        guard let server, let characteristic, let central = identifier(name) else { return }
        server.notify(Data(bytes), on: characteristic, to: central) { [weak self] result in
            switch result {
            case .success: self?.note("sent \(bytes)")
            case .failure(let error): self?.note("not sent \(bytes): \(error)")
            }
        }
    }

    /// Fills a central's socket and queue with two-byte counters.
    ///
    /// - Returns: The number of accepted values.
    func fill(_ name: String) -> Int {
        for count in 0..<100_000 {
            let bytes = [UInt8(count >> 8), UInt8(count & 0xFF)]
            if notify(bytes, to: name) == .tooManyValues(limit: 256) { return count }
        }
        return 100_000
    }
}
