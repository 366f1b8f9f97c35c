internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import Foundation

/// Answers bluetoothd's reads and writes of one characteristic or descriptor.
final class PublishedAttribute {
    /// The holder of the value and the handlers.
    struct Source {
        var get: () -> Data
        var set: (Data) -> Void
        var onRead: ((ReadRequest) -> Void)?
        var onWrite: ((WriteRequest) -> Void)?
    }

    private let source: Source
    private let client: BlueZClient
    private var longReads = LongReads()

    init(_ source: Source, client: BlueZClient) {
        self.source = source
        self.client = client
    }

    /// The two methods that characteristics and descriptors have in common.
    var methods: [BusMethod] {
        [
            BusMethod("ReadValue", takes: "a{sv}", gives: "ay") { [weak self] in self?.read($0) },
            BusMethod("WriteValue", takes: "aya{sv}") { [weak self] in self?.write($0) },
        ]
    }

    /// Forgets what is kept for a central that has gone.
    func forget(_ device: String) {
        longReads.forget(device)
    }

    private func read(_ call: MethodInvocation) {
        let origin = origin(call.arguments.first)
        if let kept = longReads.value(
            for: origin.device,
            offset: origin.offset,
            at: client.clock.now
        ) {
            return answer(call, kept, origin)
        }
        guard let onRead = source.onRead else { return answer(call, source.get(), origin) }
        let pending = RequestAnswer<Data>(on: client.context, clock: client.clock) {
            [weak self] outcome in
            switch outcome {
            case .success(let value): self?.answer(call, value, origin)
            case .failure(let error): call.fail(AttributeReply.error(error))
            }
        }
        onRead(ReadRequest(origin, answer: pending))
    }

    private func answer(_ call: MethodInvocation, _ value: Data, _ origin: RequestOrigin) {
        guard value.count <= AttributeValue.limit else {
            return call.fail(AttributeReply.error(.unlikelyError))
        }
        guard let part = AttributeValue.part(of: value, from: origin.offset) else {
            return call.fail(AttributeReply.error(.invalidOffset))
        }
        if origin.offset == 0 {
            longReads.keep(value, for: origin.device, mtu: origin.mtu, at: client.clock.now)
        }
        call.reply([.bytes([UInt8](part))])
    }

    private func write(_ call: MethodInvocation) {
        let origin = origin(call.arguments.last)
        let options = call.arguments.last?.namedValues ?? [:]
        let isQuestion = options["prepare-authorize"]?.boolean ?? false
        let bytes = Data(call.arguments.first?.bytes ?? [])
        guard let onWrite = source.onWrite else {
            return store(bytes, origin, isQuestion: isQuestion, call)
        }
        let pending = RequestAnswer<Void>(on: client.context, clock: client.clock) { outcome in
            switch outcome {
            case .success: call.reply()
            case .failure(let error): call.fail(AttributeReply.error(error))
            }
        }
        onWrite(WriteRequest(origin, value: bytes, isQuestion: isQuestion, answer: pending))
    }

    private func store(
        _ bytes: Data,
        _ origin: RequestOrigin,
        isQuestion: Bool,
        _ call: MethodInvocation
    ) {
        // The first parts of a long write are asked for before any is stored.
        if isQuestion { return call.reply() }
        switch AttributeValue.value(source.get(), writing: bytes, at: origin.offset) {
        case .changed(let value):
            source.set(value)
            call.reply()
        case .refused(let error): call.fail(AttributeReply.error(error))
        }
    }

    // Every option may be missing: `offset` is when it is 0, `mtu` before BlueZ 5.59.
    private func origin(_ argument: BusValue?) -> RequestOrigin {
        let options = argument?.namedValues ?? [:]
        let device = options["device"]?.path
        return RequestOrigin(
            device: device?.text ?? "",
            central: device.flatMap { client.objects.identifier(ofDevice: $0) },
            offset: options["offset"]?.integer ?? 0,
            mtu: options["mtu"]?.integer
        )
    }
}

extension ObjectTree {
    /// Who a device of bluetoothd is to users; nil when it is not known.
    func identifier(ofDevice path: ObjectPath) -> PeripheralIdentifier? {
        guard let properties = properties(path, BlueZ.device),
            let address = DeviceAddress(device: properties)
        else { return nil }
        return PeripheralIdentifier(address: address, name: properties["Alias"]?.text)
    }
}
