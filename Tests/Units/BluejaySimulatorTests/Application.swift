import BluejayDBus
import BluejayGLib

/// A GATT application on the bus of a test: one service, and a record of its calls.
final class Application: @unchecked Swift.Sendable {
    static let root = "/app"
    let client: BusClient
    private var calls: [String] = []
    /// The application's ends of the sockets from `AcquireNotify`, in the order of the calls.
    private var sockets: [SequencedPacketSocket] = []
    private var ends: [FileDescriptorSource] = []
    private var waiters: [(text: String, continuation: CheckedContinuation<Void, Never>)] = []

    init(_ busAddress: String) async throws {
        client = try await BusClient(busAddress)
    }

    /// Exports a service with one characteristic.
    ///
    /// `2A38` can be read and written, needs a response, and rejects requests with `refusing`.
    func export(
        _ refusing: BusError? = nil,
        flags: [String] = ["read", "write", "notify"],
        acquires: Bool = false
    ) async {
        await client.run { client in
            guard let server = client.server else { return }
            server.exportManager(at: "/app")
            server.export([self.service], at: "/app/service0")
            server.export(
                [self.characteristic(flags, refusing, acquires)],
                at: "/app/service0/char0"
            )
        }
    }

    func exportAdvertisement(_ properties: BusProperties) async {
        let table = properties.map { property in
            BusProperty(property.name, property.value.signature) { property.value }
        }
        let box = Box(BusInterface("org.bluez.LEAdvertisement1", properties: table))
        await client.run { client in client.server?.export([box.value], at: "/adv") }
    }

    private struct Box: @unchecked Swift.Sendable {
        let value: BusInterface
        init(_ value: BusInterface) { self.value = value }
    }

    func register() async -> String {
        let arguments: [BusValue] = [.objectPath("/app"), .properties([])]
        return await client.call(
            "/org/bluez/hci1",
            "GattManager1",
            "RegisterApplication",
            arguments
        ).outcome
    }

    func advertise() async -> String {
        let arguments: [BusValue] = [.objectPath("/adv"), .properties([])]
        return await client.call(
            "/org/bluez/hci1",
            "LEAdvertisingManager1",
            "RegisterAdvertisement",
            arguments
        ).outcome
    }

    /// Signals a new value, as a notification.
    func send(_ value: [UInt8]) async {
        await client.run { client in
            client.server?.emitPropertiesChanged(
                "/app/service0/char0",
                "org.bluez.GattCharacteristic1",
                [("Value", .bytes(value))]
            )
        }
    }

    func send(_ value: [UInt8], onSocket number: Int) async {
        await client.run { _ in _ = self.sockets[number].send(value) }
    }

    /// Waits until the other end of a socket is closed.
    func wait(forEndOfSocket number: Int) async {
        await withCheckedContinuation { continuation in
            client.context.post {
                let socket = self.sockets[number]
                self.ends.append(
                    FileDescriptorSource(
                        socket.descriptor.number,
                        .readable,
                        on: self.client.context
                    ) { _ in
                        guard socket.receive(atMost: 16) == .closed else { return }
                        self.ends.removeLast().cancel()
                        continuation.resume()
                    }
                )
            }
        }
    }

    /// Returns the calls since the previous call of this method.
    func taken() async -> [String] {
        await withCheckedContinuation { continuation in
            client.context.post {
                continuation.resume(returning: self.calls)
                self.calls = []
            }
        }
    }

    func wait(for text: String) async {
        await withCheckedContinuation { continuation in
            client.context.post {
                if self.calls.contains(text) { return continuation.resume() }
                self.waiters.append((text, continuation))
            }
        }
    }

    private func note(_ text: String) {
        calls.append(text)
        let ready = waiters.filter { $0.text == text }
        waiters.removeAll { $0.text == text }
        for waiter in ready { waiter.continuation.resume() }
    }

    private var service: BusInterface {
        BusInterface(
            "org.bluez.GattService1",
            properties: [
                BusProperty("UUID", "s") { .string("180d") },
                BusProperty("Primary", "b") { .boolean(true) },
            ]
        )
    }

    private func characteristic(
        _ flags: [String],
        _ refusing: BusError?,
        _ acquires: Bool
    ) -> BusInterface {
        let acquired = BusProperty("NotifyAcquired", "b") { .boolean(false) }
        return BusInterface(
            "org.bluez.GattCharacteristic1",
            properties: [
                BusProperty("UUID", "s") { .string("2a38") },
                BusProperty("Service", "o") { .objectPath("/app/service0") },
                BusProperty("Flags", "as") { .strings(flags) },
            ] + (acquires ? [acquired] : []),
            methods: [
                BusMethod("ReadValue", inputSignature: "a{sv}", outputSignature: "ay") {
                    [weak self] call in
                    self?.note("ReadValue \(Recording.text(of: call.arguments[0]))")
                    if let refusing { call.fail(refusing) } else { call.reply([.bytes([1, 2])]) }
                },
                BusMethod("WriteValue", inputSignature: "aya{sv}") { [weak self] call in
                    let texts = call.arguments.map { Recording.text(of: $0) }
                    self?.note("WriteValue \(texts.joined(separator: " "))")
                    if let refusing { call.fail(refusing) } else { call.reply() }
                },
                BusMethod("AcquireNotify", inputSignature: "a{sv}", outputSignature: "hq") {
                    [weak self] call in
                    guard let pair = SequencedPacketSocket.pair() else { return }
                    self?.sockets.append(pair.own)
                    let device = call.arguments[0].namedValues?["device"]?.path?.text ?? ""
                    self?.note("AcquireNotify \(Recording.short(device))")
                    call.reply([.fileDescriptor(pair.other), .uint16(517)])
                },
                BusMethod("StartNotify") { [weak self] call in
                    self?.note("StartNotify")
                    call.reply()
                },
                BusMethod("StopNotify") { [weak self] call in
                    self?.note("StopNotify")
                    call.reply()
                },
                BusMethod("Confirm") { [weak self] call in
                    self?.note("Confirm")
                    call.reply()
                },
            ]
        )
    }
}
