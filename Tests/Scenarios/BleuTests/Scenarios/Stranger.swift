import BluejayCore
import BluejayGATTServer
import BluejayGLib
import Foundation

@testable import Bleu

/// A peripheral that serves a sensor's characteristics and answers with arbitrary bytes.
///
/// Runs on the loop of the stage.
actor Stranger {
    /// Returns the frames that answer a message of the central.
    typealias Script = @Sendable (Message) -> [Data]

    private static let readable = ["longText", "readTemperature"]
    private static let framed = [
        "calibrate", "count", "countAndFail", "echo", "note", "reading",
    ]

    nonisolated var unownedExecutor: UnownedSerialExecutor { host.mainLoop.executor }

    private let host: BluetoothHost
    private let server: GATTServer
    private var service: LocalService?
    private var transport = BLETransport(receiving: .fromCentral)
    private var script: Script = { _ in [] }
    private var value = Data()
    private(set) var messages: [Message] = []

    static func serving(in stage: BleuStage) async throws -> Stranger {
        let stranger = Stranger(stage.host(0))
        try await stranger.start()
        return stranger
    }

    private init(_ host: BluetoothHost) {
        self.host = host
        server = GATTServer(host: host)
    }

    private func start() async throws {
        let characteristics = (Self.readable + Self.framed).map { method in
            let isReadable = Self.readable.contains(method)
            let properties: AttributeProperties = [.write, .writeWithoutResponse, .notify]
            return LocalCharacteristic(
                uuid: BluetoothUUID(
                    ServiceMapper.characteristicUUID(for: method, in: RoomSensor.self)
                ),
                properties: isReadable ? properties.union(.read) : properties,
                onRead: { [weak self] request in
                    self?.assumeIsolated { request.respond(with: $0.value) }
                },
                onWrite: { [weak self] request in
                    request.accept()
                    self?.assumeIsolated { $0.receive(request.value, method) }
                }
            )
        }
        let uuid = BluetoothUUID(ServiceMapper.serviceUUID(for: RoomSensor.self))
        let service = LocalService(uuid: uuid, characteristics: characteristics)
        self.service = service
        server.start()
        try await completed { server.add(service, completion: $0) }
        try await completed {
            server.startAdvertising(LocalAdvertisement(serviceUUIDs: [uuid]), completion: $0)
        }
    }

    private func completed(_ call: (@escaping GATTServer.Completion) -> Void) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            call { continuation.resume(with: $0) }
        }
    }

    /// Sets the value that every read returns.
    func setValue(_ value: String) { self.value = Data(value.utf8) }

    /// Answers each later message with `script`.
    func answer(_ script: @escaping Script) {
        messages = []
        self.script = script
    }

    private func receive(_ frame: Data, _ method: String) {
        guard case .message(let message) = transport.receive(frame, now: .zero) else { return }
        messages.append(message)
        let uuid = BluetoothUUID(
            ServiceMapper.characteristicUUID(for: method, in: RoomSensor.self)
        )
        let characteristic = service?.characteristics.first { $0.uuid == uuid }
        guard let characteristic else { return }
        for answer in script(message) { _ = try? server.notify(answer, on: characteristic) }
    }
}

extension Message {
    func answer(
        _ kind: FrameKind,
        _ body: String = "",
        call: Int = 0,
        size: Int = 500
    ) -> [Data] {
        answer(kind, Data(body.utf8), call: call, size: size)
    }

    /// Returns the frames that answer the current message.
    ///
    /// - Parameters:
    ///   - kind: The kind of the answer.
    ///   - body: The body.
    ///   - call: An offset added to the number of the call.
    ///   - size: The size of a frame.
    /// - Returns: The frames.
    func answer(_ kind: FrameKind, _ body: Data, call: Int, size: Int) -> [Data] {
        var limits = BleuConfiguration().transportLimits
        limits.messageLength = 4 << 20
        var transport = BLETransport(receiving: .fromCentral, limits: limits)
        let answer = Message(
            kind: kind,
            session: session,
            call: self.call &+ UInt16(truncatingIfNeeded: call),
            body: body
        )
        return (try? transport.frames(of: answer, frameSize: size)).map(Array.init) ?? []
    }

    func element(_ number: UInt32, _ json: String) -> [Data] {
        var body = Data()
        body.append(littleEndian: number)
        return answer(.element, body + Data(json.utf8), call: 0, size: 500)
    }
}

extension BleuError {
    /// The case name of an error, with the versions of `incompatibleVersion`.
    static func caseName(_ error: any Error) -> String {
        switch error as? BleuError {
        case .bluetoothUnavailable: "bluetoothUnavailable"
        case .bluetoothUnauthorized: "bluetoothUnauthorized"
        case .peripheralNotFound: "peripheralNotFound"
        case .serviceNotFound: "serviceNotFound"
        case .characteristicNotFound: "characteristicNotFound"
        case .connectionTimeout: "connectionTimeout"
        case .connectionFailed: "connectionFailed"
        case .incompatibleVersion(let detected, let required):
            "incompatibleVersion(detected: \(detected), required: \(required))"
        case .invalidData: "invalidData"
        case .quotaExceeded: "quotaExceeded"
        case nil: "\(error)"
        }
    }
}
