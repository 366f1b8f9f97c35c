import Bluejay
import BluejayAsync
import BluejayCommandLine
import BluejayDeviceFile
import Foundation

/// The connection to the device that the inspector has opened.
///
/// Each connection has its own session, so that closing it disconnects or keeps the link as every subcommand
/// does.
@MainActor
final class InspectedDevice {
    /// The time in seconds that a recording listens.
    private static let recordingTime = 10.0

    private let session: ToolSession
    private let timeout: Double
    private let advertisement: Advertisement?
    private let receiver: @MainActor (InspectorEvent) -> Void
    private lazy var questions = PairingQuestions { [weak self] in self?.emit($0) }
    private var tasks: [Task<Void, Never>] = []
    private var listens: [CharacteristicIdentifier: Task<Void, Never>] = [:]
    private var recording: Task<Void, Never>?
    /// Whether the receiver gets no more events.
    private var isMuted = false

    /// - Parameters:
    ///   - session: A session without a connection.
    ///   - timeout: The time limit of the connection in seconds.
    ///   - advertisement: The last advertisement of the device, for a recording.
    ///   - receiver: Receives the events until ``mute()``.
    init(
        _ session: ToolSession,
        timeout: Double,
        advertisement: Advertisement?,
        _ receiver: @escaping @MainActor (InspectorEvent) -> Void
    ) {
        self.session = session
        self.timeout = timeout
        self.advertisement = advertisement
        self.receiver = receiver
        // The user connects again.
        session.bluejay.reconnectOptions = ReconnectOptions(maximumAttempts: 0)
    }

    private func emit(_ event: InspectorEvent) {
        if !isMuted { receiver(event) }
    }

    private func start(_ work: @escaping @MainActor () async -> Void) {
        tasks.append(Task { await work() })
    }

    /// Connects, and follows the link to its end.
    func connect(to device: PeripheralIdentifier) {
        let questions = questions
        session.pairingHandler = { await questions.decide($0, of: $1) }
        start { [self] in
            do {
                try await session.start()
                let events = session.bluejay.connectionEvents
                let peripheral = try await session.connect(to: device, within: timeout)
                let services = try await session.services()
                let isPaired = try await session.bluejay.peripheralDetails().isPaired
                emit(.connected(peripheral, services, isPaired: isPaired))
                for await event in events { await handle(event) }
            } catch {
                emit(.disconnected(reason: session.failure(for: error).message))
            }
        }
    }

    private func handle(_ event: ConnectionEvent) async {
        switch event {
        case .disconnected(_, let reason):
            let text = reason.map { ToolFailure($0).message } ?? "disconnected"
            emit(.disconnected(reason: text))
        case .servicesChanged:
            if let services = try? await session.services() { emit(.servicesChanged(services)) }
        case .bluetoothAvailable, .connected, .reconnecting: break
        }
    }

    /// Reads attributes, one after the other.
    func read(_ attributes: [ValueAttribute]) {
        start { [self] in
            for attribute in attributes where !isMuted {
                do {
                    emit(.read(attribute, .success(try await session.read(attribute))))
                } catch {
                    emit(.read(attribute, .failure(session.failure(for: error))))
                    guard session.bluejay.isConnected else { return }
                }
            }
        }
    }

    func write(_ value: Data, to attribute: ValueAttribute) {
        start { [self] in
            do {
                let type = attribute.writeType ?? .withResponse
                for part in try await session.parts(of: value, for: attribute, type: type) {
                    try await session.write(part, to: attribute, type: type)
                }
                emit(.wrote(value, attribute, nil))
            } catch {
                emit(.wrote(value, attribute, session.failure(for: error)))
            }
        }
    }

    /// Listens until ``endListen(to:)`` or the end of the link.
    func listen(to characteristic: CharacteristicIdentifier) {
        let values = session.bluejay.values(of: characteristic)
        listens[characteristic] = Task { [self] in
            do {
                for try await value in values { emit(.notified(characteristic, value)) }
            } catch {
                guard !Task.isCancelled, session.bluejay.isConnected else { return }
                emit(.listenFailed(characteristic, session.failure(for: error)))
            }
        }
    }

    func endListen(to characteristic: CharacteristicIdentifier) {
        // The stream ends after this call, before a later listen begins.
        session.bluejay.endListen(to: characteristic)
    }

    func pair() {
        start { [self] in
            do {
                emit(.paired(try await session.pair()))
            } catch {
                emit(.message(.init(text: session.failure(for: error).message, isFailure: true)))
            }
        }
    }

    func reply(_ number: Int, _ decision: PairingDecision) { questions.reply(number, decision) }

    /// Records the device in a new file, until ``endRecording()`` at the latest.
    func record(in file: String) {
        recording = Task { [self] in
            do {
                emit(.recordingEnded(.init(text: try await recorded(in: file))))
            } catch {
                let reason =
                    Task.isCancelled
                    ? "the recording was cancelled" : session.failure(for: error).message
                emit(.recordingEnded(.init(text: reason, isFailure: true)))
            }
        }
    }

    /// Ends the listening of the recording, which then writes its file.
    func endRecording() { recording?.cancel() }

    private func recorded(in file: String) async throws -> String {
        guard !FileManager.default.fileExists(atPath: file) else {
            throw ToolFailure("\(file.printable) exists; type the name of a new file")
        }
        let output = try RecordingFile(file, session.console)
        let details = try await session.bluejay.peripheralDetails()
        let recorder = DeviceRecorder(
            session,
            RecordedDevice(details.peripheral, name: details.name, advertisement),
            output
        )
        try await recorder.readAll()
        if recorder.hasListens { try await recorder.listen(for: Self.recordingTime) }
        try output.finish(recorder.file)
        let count = recorder.file.notifications.count
        return "\(file.printable) is written, with \(count) notifications"
    }

    /// Discards all later events.
    func mute() { isMuted = true }

    /// Ends everything; a link that existed before the connection stays.
    func close() async {
        mute()
        questions.close()
        recording?.cancel()
        await recording?.value
        for task in tasks + listens.values { task.cancel() }
        await session.close()
    }
}
