import Bluejay
import BluejayAsync
import Dispatch
import Foundation

/// The notifications of several characteristics of one device, over one link.
@MainActor
final class Listening {
    /// The time before another connection, in seconds, after values could not be listened to.
    private static let retryDelays = [1.0, 2, 5, 10, 30]
    /// The number of links without a value after which lost keys are likely.
    private static let suspiciousLosses = 3

    private let names: [CharacteristicReference]
    private let device: String?
    private let timeout: Double
    private let session: ToolSession
    private let makeWriter: (CharacteristicIdentifier, String?) async -> ValueWriter
    /// The number of values left to write.
    private var left = Int.max
    private var hasEnded = false
    /// Whether a value has arrived over the present link.
    private var hasReceived = false
    private var listened: [CharacteristicIdentifier] = []
    /// The reason why no other connection can help, reported by an event of the connection.
    private var finalError: (any Error)?
    /// The delay before a connection, which a limit cuts short.
    private var pause: AsyncStream<Void>.Continuation?

    /// - Parameters:
    ///   - names: The characteristics; several references to one characteristic count once.
    ///   - device: The device; `nil` is the device used last.
    ///   - timeout: The time limit of the search and of the connection, in seconds.
    ///   - session: The session of the command.
    ///   - makeWriter: Returns the writer of a characteristic; the label is `nil` for a single one.
    init(
        to names: [CharacteristicReference],
        of device: String?,
        within timeout: Double,
        on session: ToolSession,
        _ makeWriter: @escaping (CharacteristicIdentifier, String?) async -> ValueWriter
    ) {
        self.names = names
        self.device = device
        self.timeout = timeout
        self.session = session
        self.makeWriter = makeWriter
    }

    /// Listens until a limit, or until the connection is lost.
    ///
    /// - Parameters:
    ///   - count: The number of values; `nil` is unlimited.
    ///   - seconds: The time from the first subscription; `nil` is unlimited.
    ///   - reconnects: Whether to continue over another connection.
    /// - Throws: The reason that the first connection, or a connection without a successor, has failed.
    func run(count: Int?, seconds: Double?, reconnecting reconnects: Bool) async throws {
        left = count ?? .max
        let peripheral = try await session.connect(device, within: timeout)
        let notes = reconnects ? Task { await noteConnections() } : nil
        defer { notes?.cancel() }
        session.end(after: seconds) { [self] in await end() }
        var failures = 0
        while true {
            do {
                try await listen(isKept: reconnects)
                return
            } catch {
                if hasEnded { return }
                if let finalError { throw finalError }
                guard reconnects, !Task.isCancelled, ToolFailure.allowsReconnection(error) else {
                    throw error
                }
                failures = hasReceived ? 1 : failures + 1
                session.console.writeError("bluejay: \(ToolFailure(error).message)")
            }
            try await connectAgain(to: peripheral, after: failures)
            if hasEnded { return }
        }
    }

    /// Connects, for any number of attempts.
    private func connectAgain(to peripheral: PeripheralIdentifier, after failures: Int) async throws
    {
        var failures = failures
        while !hasEnded {
            let delay = Self.retryDelays[min(failures, Self.retryDelays.count) - 1]
            let (ticks, pause) = AsyncStream<Void>.makeStream()
            self.pause = pause
            DispatchQueue.main.asyncAfter(deadline: .now() + delay) { pause.finish() }
            for await _ in ticks {}
            try Task.checkCancellation()
            if hasEnded { return }
            if let finalError { throw finalError }
            do {
                _ = try await session.bluejay.connect(peripheral, timeout: .seconds(timeout))
                return
            } catch {
                try Task.checkCancellation()
                guard ToolFailure.allowsReconnection(error) else { throw error }
                failures += 1
            }
        }
    }

    /// Ends the streams after the values that have arrived.
    private func end() async {
        hasEnded = true
        pause?.finish()
        for characteristic in listened {
            try? await session.bluejay.endListen(to: characteristic)
        }
    }

    private func listen(isKept: Bool) async throws {
        hasReceived = false
        listened = []
        for name in names {
            let characteristic = try await session.characteristic(name).identifier
            if !listened.contains(characteristic) { listened.append(characteristic) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for characteristic in listened {
                let writer = await makeWriter(characteristic, label(of: characteristic))
                let values = session.bluejay.values(of: characteristic, isKept: isKept)
                group.addTask { [self] in try await write(values, with: writer) }
            }
            // The first failure, or the last value, ends the other streams.
            do {
                while try await group.next() != nil { if left == 0 { group.cancelAll() } }
            } catch {
                if left > 0 { throw error }
            }
        }
    }

    private func write(_ values: ValueStream<Data>, with writer: ValueWriter) async throws {
        for try await value in values {
            guard left > 0 else { return }
            hasReceived = true
            if try writer.write(value) { left -= 1 }
            await session.console.waitForRoom()
            if left == 0 { return }
        }
    }

    /// Returns the shortest text that distinguishes a characteristic from the others; `nil` for a single one.
    private func label(of characteristic: CharacteristicIdentifier) -> String? {
        guard listened.count > 1 else { return nil }
        let isUnique = listened.count { $0.uuid == characteristic.uuid } == 1
        return isUnique
            ? characteristic.uuid.displayText(characteristic.instance) : characteristic.displayText
    }

    /// Reports lost and new connections on standard error, and ends the streams if no reconnection can help.
    private func noteConnections() async {
        var wasLost = false
        var reported: String?
        var lossesWithoutValue = 0
        for await event in session.bluejay.connectionEvents {
            switch event {
            case .disconnected(let peripheral, let reason) where !hasEnded:
                if let reason, !ToolFailure.allowsReconnection(reason) {
                    finalError = reason
                    pause?.finish()
                    _ = try? await session.bluejay.disconnect(immediate: true)
                    return
                }
                if !wasLost {
                    session.console.writeError("bluejay: connection lost; connecting again")
                    lossesWithoutValue = hasReceived ? 0 : lossesWithoutValue + 1
                    if lossesWithoutValue == Self.suspiciousLosses {
                        await noteLostKeys(of: peripheral)
                    }
                } else if let text = reason.map({ ToolFailure($0).message }), text != reported {
                    session.console.writeError("bluejay: \(text)")
                    reported = text
                }
                wasLost = true
            case .connected(let peripheral) where wasLost:
                session.console.writeError("bluejay: connected again to \(peripheral.displayText)")
                (wasLost, reported, hasReceived) = (false, nil, false)
            default: break
            }
        }
    }

    /// Names lost keys as the likely reason if the device is paired: BlueZ before 5.83 reports no reason.
    private func noteLostKeys(of peripheral: PeripheralIdentifier) async {
        let bonded = try? await session.bluejay.knownPeripherals(onlyBonded: true)
        guard bonded?.contains(where: { $0.identifier == peripheral }) == true else { return }
        let device = peripheral.address ?? "DEVICE"
        session.console.writeError(
            "bluejay: no value arrived over \(Self.suspiciousLosses) connections; if the device was reset or "
                + "has lost the keys of the pairing, run `bluejay forget \(device)`, then "
                + "`bluejay pair \(device)`"
        )
    }
}
