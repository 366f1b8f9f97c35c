internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

/// The values on their way to the radio.
final class WriteRunner {
    private struct PendingSend {
        let data: Data
        let continuation: CheckedContinuation<Void, any Error>
        /// The request at bluetoothd, once it is sent.
        var request: LinkRequestID?
    }

    private let link: RadioLink
    private let access: BluetoothAccess
    private var machine: WriteStateMachine
    private let actions = ActionQueue<WriteStateMachine.Action>()
    private var timer: ScheduledTimer?
    private var pendingSends: [WriteStateMachine.Write: PendingSend] = [:]

    init(_ settings: RadioSettings, _ link: RadioLink, _ access: BluetoothAccess) {
        machine = WriteStateMachine(settings)
        self.link = link
        self.access = access
    }

    var count: Int { pendingSends.count }

    /// Whether no value waits, and no timer is set.
    var isIdle: Bool { pendingSends.isEmpty && timer == nil }

    /// Accepts values from now on.
    func open() { machine.open() }

    func close() { perform(machine.close()) }

    func send(
        _ data: Data,
        _ write: WriteStateMachine.Write,
        _ continuation: CheckedContinuation<Void, any Error>
    ) {
        pendingSends[write] = PendingSend(data: data, continuation: continuation)
        perform(machine.enqueue(write, now: access.now))
    }

    func cancel(_ write: WriteStateMachine.Write) { perform(machine.cancel(write)) }

    private func perform(_ new: [WriteStateMachine.Action]) {
        actions.perform(new) { perform($0) }
    }

    private func perform(_ action: WriteStateMachine.Action) {
        switch action {
        case .send(let write): send(write)
        case .cancel(let write):
            if let request = pendingSends[write]?.request { link.cancelWrite(request) }
        case .complete(let write, let outcome):
            guard let continuation = pendingSends.removeValue(forKey: write)?.continuation else {
                return
            }
            switch outcome {
            case .sent: continuation.resume()
            case .failed(let error): continuation.resume(throwing: error)
            case .cancelled: continuation.resume(throwing: CancellationError())
            }
        case .setTimer(let instant):
            timer = access.schedule(at: instant) { [weak self] in
                guard let self else { return }
                perform(machine.timerFired(now: access.now))
            }
        }
    }

    private func send(_ write: WriteStateMachine.Write) {
        guard let data = pendingSends[write]?.data else { return }
        let request = link.write(data, write) { [weak self] error in
            guard let self else { return }
            perform(machine.replied(write, error, now: access.now))
        }
        pendingSends[write]?.request = request
    }
}
