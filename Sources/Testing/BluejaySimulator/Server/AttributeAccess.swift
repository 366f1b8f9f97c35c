internal import BluejayDBus
internal import BluejayGLib

/// Access control for an attribute, and the options of calls to its application.
struct AttributeAccess {
    enum Operation: String {
        case read, write
    }

    let flags: [String]
    let client: ATTClient

    /// Returns bluetoothd's own refusal, or `nil` if the application must decide.
    func rejection(_ operation: Operation) -> ATTErrorCode? {
        let visible = CharacteristicFlags.visible(flags)
        guard visible.contains(operation.rawValue) else {
            return operation == .read ? .readNotPermitted : .writeNotPermitted
        }
        return CharacteristicFlags.securityRejection(flags, operation.rawValue, of: client.device)
    }

    /// Returns `device`, `offset` unless zero, `link`, and `mtu`.
    func options(offset: Int) -> BusValue {
        var options: BusProperties = []
        if let path = clientPath { options.append(("device", .objectPath(path))) }
        if offset > 0 { options.append(("offset", .uint16(UInt16(clamping: offset)))) }
        options.append(("link", .string("LE")))
        if version.sendsMTU { options.append(("mtu", .uint16(UInt16(client.mtu)))) }
        return .properties(options)
    }

    private var version: SimulatedBlueZVersion { client.device.world.version }

    // The client's device object at the serving adapter.
    private var clientPath: ObjectPath? { client.deviceAtServer?.path }

    func read(
        _ call: MethodCall,
        on connection: BusConnection,
        completion: @escaping (ATTResult) -> Void
    ) {
        send(call, on: connection, isRead: true) { result in
            completion(
                result.flatMap { values in
                    guard let bytes = values.first?.bytes else { return .failure(.unlikely) }
                    return .success(Array(bytes.prefix(512)))
                }
            )
        }
    }

    func write(
        _ call: MethodCall,
        on connection: BusConnection,
        completion: @escaping (ATTResult) -> Void
    ) {
        send(call, on: connection, isRead: false) { completion($0.map { _ in [] }) }
    }

    private func send(
        _ call: MethodCall,
        on connection: BusConnection,
        isRead: Bool,
        completion: @escaping (Result<[BusValue], ATTErrorCode>) -> Void
    ) {
        let request = ApplicationRequest(of: client, completion)
        connection.call(call, timeout: .seconds(60)) { [version] result in
            request.finish(
                result.mapError { .forApplicationError($0, isRead: isRead, to: version) }
            )
        }
    }
}

/// A client's request that an application must answer within bluetoothd's five seconds.
///
/// If the link has ended when the time runs out, bluetoothd crashes: an answer counts only during the
/// link.
private final class ApplicationRequest {
    private let client: ATTClient
    private let completion: (Result<[BusValue], ATTErrorCode>) -> Void
    private var timer: ScheduledTimer?

    init(of client: ATTClient, _ completion: @escaping (Result<[BusValue], ATTErrorCode>) -> Void) {
        self.client = client
        self.completion = completion
        let world = client.device.world
        let daemon = world.bus.connection
        let timeout = world.unscaled(RecordedDelays.application)
        timer = world.clock.schedule(after: timeout) { [weak world, weak daemon] in
            guard let world, daemon != nil, world.bus.connection === daemon else { return }
            self.timeOut(in: world)
        }
    }

    func finish(_ result: Result<[BusValue], ATTErrorCode>) {
        guard timer != nil, client.isOpen else { return }
        timer = nil
        completion(result)
    }

    private func timeOut(in world: SimulatedWorld) {
        guard client.isOpen else { return world.onCrash() }
        finish(.failure(.unlikely))
    }
}

extension BusConnection {
    func callAndForget(_ method: MethodCall) {
        call(method) { _ in }
    }
}
