import Bluejay
import BluejayAsync
import BluejayCommandLine
import BluejayCore
import BluejayDeviceFile
import Dispatch
import Foundation

/// Reads all values of a device and listens to all its notifications.
@MainActor
final class DeviceRecorder {
    private let session: ToolSession
    private let output: RecordingFile
    private var record: RecordedDevice
    private var subscriptions:
        [(index: DeviceFile.CharacteristicIndex, identifier: CharacteristicIdentifier)] = []

    /// Creates a recorder for a connected device.
    ///
    /// `output` receives the recording while it grows.
    init(_ session: ToolSession, _ record: RecordedDevice, _ output: RecordingFile) {
        self.output = output
        self.session = session
        self.record = record
    }

    var file: DeviceFile { record.file }

    /// Whether the device has a characteristic to listen to.
    var hasListens: Bool { !subscriptions.isEmpty }

    /// Reads the services with their values and descriptors.
    ///
    /// - Throws: An error if the connection has ended or the task is cancelled.
    func readAll() async throws {
        reportOmissions()
        for service in try await session.services() {
            guard let number = record.add(service) else { continue }
            for characteristic in service.characteristics {
                guard let index = record.add(characteristic, to: number) else { continue }
                try await read(characteristic, index)
                reportOmissions()
            }
        }
    }

    private func read(
        _ characteristic: PeripheralCharacteristic,
        _ index: DeviceFile.CharacteristicIndex
    )
        async throws
    {
        let bluejay = session.bluejay
        if characteristic.properties.contains(.read) {
            let value = try await attempt {
                try await bluejay.read(from: characteristic.identifier, as: Data.self)
            }
            record.read(value, at: index)
        }
        for descriptor in characteristic.descriptorIdentifiers
        where !DeviceFile.Descriptor.reserved.contains(descriptor.uuid.uuidString) {
            let value = try await attempt {
                try await bluejay.read(from: descriptor, as: Data.self)
            }
            record.read(descriptor.uuid, value, at: index)
        }
        if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
            subscriptions.append((index, characteristic.identifier))
        }
    }

    // Refused values are omitted; without a connection, the recording fails.
    private func attempt(_ read: () async throws -> Data) async throws -> Result<Data, any Error> {
        do {
            return .success(try await read())
        } catch {
            try Task.checkCancellation()
            guard await session.bluejay.onLoop({ $0.isConnected }) else { throw error }
            return .failure(error)
        }
    }

    /// Listens to all characteristics; values received before a cancellation are kept.
    ///
    /// - Parameter seconds: The duration, counted from the last installed listen.
    /// - Throws: An error if the connection ends.
    func listen(for seconds: Double) async throws {
        let (reports, continuation) = AsyncStream.makeStream(of: RecordedEvent.self)
        // Otherwise a listen would end silently with the connection.
        session.bluejay.broadcastErrorsToListeners = true
        for (number, (_, identifier)) in subscriptions.enumerated() {
            await session.bluejay.onLoop { Self.listen($0, identifier, number, continuation) }
        }
        var timeline = RecordedTimeline(subscriptions.map(\.index))
        var isTimed = false
        output.save { record.file }
        // The stream ends at the time limit, or with the task.
        reports: for await report in reports {
            switch timeline.record(report) {
            case .recorded: break
            case .failed(let index, let error): record.failedToListen(at: index, error)
            case .lost(let error):
                record.add(timeline.notifications)
                throw error
            }
            reportOmissions()
            output.save { record.adding(timeline.notifications).file }
            guard timeline.isSettled, !isTimed else { continue }
            guard timeline.isListening else { break reports }
            isTimed = true
            DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { continuation.finish() }
        }
        record.add(timeline.notifications)
    }

    // Each report gets its time on the loop, without waiting for another thread.
    private nonisolated static func listen(
        _ bluejay: Bluejay,
        _ identifier: CharacteristicIdentifier,
        _ number: Int,
        _ continuation: AsyncStream<RecordedEvent>.Continuation
    ) {
        bluejay.listen(to: identifier) { (result: ReadResult<Data>) in
            let now = ContinuousClock.now
            switch result {
            case .success(let value):
                continuation.yield(RecordedEvent(number, now, .value(Array(value))))
            case .failure(let error):
                continuation.yield(RecordedEvent(number, now, .failure(error)))
            }
        } installed: {
            continuation.yield(RecordedEvent(number, ContinuousClock.now, .installed))
        }
    }

    private func reportOmissions() {
        for what in record.drainOmissions() {
            session.console.writeError("bluejay: omitted \(what.printable)")
        }
    }
}
