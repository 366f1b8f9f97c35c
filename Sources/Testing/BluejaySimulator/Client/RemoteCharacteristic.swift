internal import BluejayDBus
internal import BluejayGLib
internal import OrderedCollections

/// `…/serviceHHHH/charHHHH`: a characteristic of another device.
final class RemoteCharacteristic {
    let attribute: AttributeDatabase.Characteristic
    let path: ObjectPath
    let servicePath: ObjectPath
    unowned let device: Device
    /// The flags that a client sees.
    let flags: [String]

    /// Whether it is of a service that bluetoothd uses itself: nobody else may write.
    var isClaimed = false
    var value: [UInt8]
    var isNotifying = false
    /// Who listens by signals, by the name on the bus.
    var listeners: OrderedSet<String> = []
    var notifySocket: AcquiredSocket?
    var writeSocket: AcquiredSocket?
    private let reads = AttributeReads()
    private var isWriting = false

    init(
        _ attribute: AttributeDatabase.Characteristic,
        at path: ObjectPath,
        in servicePath: ObjectPath,
        of device: Device
    ) {
        self.attribute = attribute
        self.path = path
        self.servicePath = servicePath
        self.device = device
        flags = CharacteristicFlags.visible(attribute.flags)
        value = attribute.knownValue
    }

    func changed(_ names: String...) {
        device.world.emitChanged(path, Names.gattCharacteristic, names)
    }

    // MARK: Reading

    func read(_ call: MethodInvocation) {
        reads.read(call, attribute.valueHandle, of: device) { [weak self] in
            guard let self else { return }
            value = $0.replacing(value)
            changed("Value")
        }
    }

    // MARK: Writing

    func write(_ call: MethodInvocation) {
        let options: AttributeOptions
        let bytes = call.arguments[0].bytes ?? []
        do throws(BusError) {
            options = try AttributeOptions(call.arguments[1])
            try checkWritable()
            let limit = (device.client?.mtu ?? 23) - 3
            let way = try options.way(flags, bytes.count, commandLimit: limit)
            // A command is limited by the MTU alone.
            guard way == .command || bytes.count <= 512 else {
                throw BlueZError.invalidArguments("Invalid Length")
            }
            send(bytes, way, options.offset, call)
        } catch {
            call.fail(error)
        }
    }

    private func checkWritable() throws(BusError) {
        guard device.client != nil else { throw BlueZError.notConnected }
        guard writeSocket == nil else { throw BlueZError.notPermitted("Write acquired") }
        guard !isWriting else { throw BlueZError.inProgress }
        guard !isClaimed else { throw BlueZError.notAuthorized }
    }

    private func send(
        _ bytes: [UInt8],
        _ way: AttributeOptions.Way,
        _ offset: Int,
        _ call: MethodInvocation
    ) {
        let handle = attribute.valueHandle
        guard way != .command else {
            device.client?.send(command: handle, bytes)
            return call.reply()
        }
        isWriting = true
        device.client?.send(.write(handle: handle, value: bytes, offset: offset)) {
            [weak self] result in
            self?.isWriting = false
            switch result {
            case .success: call.reply()
            case .failure(let error): call.fail(error.clientError)
            }
        }
    }

    // MARK: Ends

    func linkEnded() {
        isWriting = false
        if notifySocket != nil {
            notifySocket = nil
            changed("NotifyAcquired")
        }
        if writeSocket != nil {
            writeSocket = nil
            changed("WriteAcquired")
        }
    }

    /// The object goes away: whoever waits gets an answer.
    func close() {
        reads.close()
        notifySocket = nil
        writeSocket = nil
    }
}

/// The options of `ReadValue` and `WriteValue`.
struct AttributeOptions: Equatable {
    enum Way: String {
        case request, command, reliable
    }

    var offset = 0
    var type: String?

    init(_ value: BusValue) throws(BusError) {
        for (name, value) in value.namedValues ?? [:] {
            switch (name, value) {
            case ("offset", .uint16(let number)): offset = Int(number)
            case ("type", .string(let text)): type = text
            case ("offset", _), ("type", _): throw BlueZError.invalidArguments
            default: continue
            }
        }
    }

    /// How a value is written: asked for, or the best that the flags allow.
    ///
    /// - Parameters:
    ///   - flags: The client's view of the characteristic.
    ///   - count: The bytes to be written.
    ///   - commandLimit: The largest write without response.
    /// - Returns: The way.
    /// - Throws: The error that bluetoothd answers with.
    func way(
        _ flags: [String],
        _ count: Int,
        commandLimit: Int
    ) throws(BusError) -> Way {
        guard let type else { return try defaultWay(flags) }
        guard let way = Way(rawValue: type) else { throw BlueZError.notSupported }
        guard way == .command else { return way }
        guard offset == 0 else { throw BlueZError.notSupported }
        guard count <= commandLimit else { throw BlueZError.failed("Failed to initiate write") }
        return way
    }

    private func defaultWay(_ flags: [String]) throws(BusError) -> Way {
        if flags.contains("reliable-write") { return .reliable }
        if flags.contains("write") { return .request }
        if flags.contains("write-without-response") { return .command }
        throw BlueZError.notSupported
    }
}
