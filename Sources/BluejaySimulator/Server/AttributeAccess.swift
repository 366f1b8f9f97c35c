internal import BluejayDBus

/// Who may do what with an attribute, and what the application is told with a call.
struct AttributeAccess {
    enum Operation: String {
        case read, write
    }

    let flags: [String]
    let client: ATTClient

    /// Why bluetoothd refuses without asking the application.
    func refusal(_ operation: Operation) -> ATTError? {
        let visible = CharacteristicFlags.visible(flags)
        guard visible.contains(operation.rawValue) else {
            return operation == .read ? .readNotPermitted : .writeNotPermitted
        }
        let needsKeys = CharacteristicFlags.needsEncryption(flags, operation.rawValue)
        return needsKeys && !client.device.isPaired ? .insufficientEncryption : nil
    }

    /// `device`, `offset` when there is one, `link`, `mtu`.
    func options(offset: Int) -> BusValue {
        var options: BusProperties = []
        if let path = pathOfClient { options.append(("device", .objectPath(path))) }
        if offset > 0 { options.append(("offset", .uint16(UInt16(clamping: offset)))) }
        options.append(("link", .string("LE")))
        if kind.tellsMTU { options.append(("mtu", .uint16(UInt16(client.mtu)))) }
        return .properties(options)
    }

    private var kind: BlueZKind { client.device.world.kind }

    // The client's device object on the adapter that serves.
    private var pathOfClient: ObjectPath? {
        let server = client.server
        return client.device.link?.devices.first { $0.adapter === server }?.path
    }

    func read(
        _ call: MethodCall,
        on connection: BusConnection,
        answer: @escaping (ATTResult) -> Void
    ) {
        connection.call(call, timeout: .seconds(60)) { [kind] result in
            switch result {
            case .failure(let error): answer(.failure(.answering(error, isRead: true, to: kind)))
            case .success(let values):
                guard let bytes = values.first?.bytes else { return answer(.failure(.unlikely)) }
                answer(.success(Array(bytes.prefix(512))))
            }
        }
    }

    func write(
        _ call: MethodCall,
        on connection: BusConnection,
        answer: @escaping (ATTResult) -> Void
    ) {
        connection.call(call, timeout: .seconds(60)) { [kind] result in
            switch result {
            case .failure(let error): answer(.failure(.answering(error, isRead: false, to: kind)))
            case .success: answer(.success([]))
            }
        }
    }
}

extension BusConnection {
    /// Calls a method whose answer changes nothing.
    func callAndForget(_ method: MethodCall) {
        call(method, timeout: .seconds(25)) { _ in }
    }
}
