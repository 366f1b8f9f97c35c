internal import BluejayBlueZ
internal import BluejayGLib

/// The actions that the callbacks of one scan or watch return.
///
/// On the loop, a callback returns its action at once. A callback of an actor returns it later, when the actor
/// may have further reports in its queue. While 4,096 reports wait for an actor, further ones are discarded.
// Everything but the callbacks is used on the loop only: the invariant behind `@unchecked`.
final class ScanActions: @unchecked Swift.Sendable {
    let context: MainContext

    /// Performs an action that an actor has returned; called on the loop.
    var onLateAction: ((ScanAction, PeripheralIdentifier?) -> Void)?

    /// The reports on their way to an actor.
    private let waiting = WaitingCalls(limit: 4_096)
    private var log: Log?

    /// The reports that the actors still receive.
    private let wantedReports = LockedValue(WantedReports())

    init(on context: MainContext) {
        self.context = context
    }

    func logOverflow(to log: Log) {
        self.log = log
    }

    func handler(
        _ callback: @escaping @isolated(any) (ScanDiscovery) -> ScanAction
    ) -> (ScanDiscovery) -> ScanAction {
        let (actor, body) = context.parts(of: callback)
        guard let actor else { return body }
        return { [self] discovery in
            act(in: actor, on: discovery.peripheralIdentifier) { body(discovery) }
        }
    }

    func handler(
        _ callback: @escaping @isolated(any) (ScanDiscovery, [ScanDiscovery]) -> ScanAction
    ) -> (ScanDiscovery, [ScanDiscovery]) -> ScanAction {
        let (actor, body) = context.parts(of: callback)
        guard let actor else { return body }
        return { [self] discovery, all in
            act(in: actor, on: discovery.peripheralIdentifier) { body(discovery, all) }
        }
    }

    func handler(
        _ callback: @escaping @isolated(any) (WatchEvent) -> ScanAction
    ) -> (WatchEvent) -> ScanAction {
        let (actor, body) = context.parts(of: callback)
        guard let actor else { return body }
        return { [self] event in
            act(in: actor, on: event.discovery?.peripheralIdentifier) { body(event) }
        }
    }

    /// Returns the action, or `.continue` if the actor returns it later.
    private func act(
        in actor: any Actor,
        on peripheral: PeripheralIdentifier?,
        _ call: @escaping () -> ScanAction
    ) -> ScanAction {
        if context.isIsolated(to: actor) { return call().completing(in: actor, from: context) }
        let isAdded = waiting.add { log?.warning("discarding reports: their actor is slow") }
        guard isAdded else { return .continue }
        context.perform(in: actor) { [self] in
            waiting.remove()
            guard wantedReports.value.contain(peripheral) else { return }
            let action = call()
            wantedReports.update { $0.apply(action, peripheral) }
            let late = UncheckedTransfer(action.completing(in: actor, from: context))
            context.post { [self] in onLateAction?(late.value, peripheral) }
        }
        return .continue
    }
}

extension ScanAction {
    /// Returns the action, with a completion that is called in the isolation of the callback that returned it.
    fileprivate func completing(in actor: any Actor, from context: MainContext) -> Self {
        guard case .connect(let discovery, let timeout, let options, let completion) = self else {
            return self
        }
        return .connect(discovery, timeout, options) { result in
            context.perform(in: actor) { completion(result) }
        }
    }
}

extension WatchEvent {
    fileprivate var discovery: ScanDiscovery? {
        switch self {
        case .started: nil
        case .found(let discovery), .changed(let discovery), .lost(let discovery): discovery
        }
    }
}

/// The reports that follow the actions of an actor.
private struct WantedReports: Swift.Sendable {
    private var hasEnded = false
    private var ignored: Set<PeripheralIdentifier> = []

    func contain(_ peripheral: PeripheralIdentifier?) -> Bool {
        guard let peripheral else { return !hasEnded }
        return !hasEnded && !ignored.contains(peripheral)
    }

    mutating func apply(_ action: ScanAction, _ peripheral: PeripheralIdentifier?) {
        switch action {
        case .continue: break
        case .blacklist: if let peripheral { ignored.insert(peripheral) }
        case .stop, .connect: hasEnded = true
        }
    }
}
