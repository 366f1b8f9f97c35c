internal import BluejayGLib

/// The actions that the callbacks of one scan or watch return.
///
/// On the loop, a callback returns its action at once. A callback of an actor returns it later, when the actor
/// may have further reports in its queue.
// `onLateAction` is used on the loop only: the invariant behind `@unchecked`.
final class ScanActions: @unchecked Swift.Sendable {
    let context: MainContext

    /// Performs an action that an actor has returned; called on the loop.
    var onLateAction: ((ScanAction, PeripheralIdentifier?) -> Void)?

    /// The reports that the actors still receive.
    private let wanted = LockedValue(WantedReports())

    init(on context: MainContext) {
        self.context = context
    }

    func handler(
        _ callback: @escaping @isolated(any) (ScanDiscovery) -> ScanAction
    ) -> (ScanDiscovery) -> ScanAction {
        let handler = IsolatedHandler(on: context, callback)
        return { [self] in act(on: $0, of: $0.peripheralIdentifier, handler) }
    }

    func handler(
        _ callback: @escaping @isolated(any) (ScanDiscovery, [ScanDiscovery]) -> ScanAction
    ) -> (ScanDiscovery, [ScanDiscovery]) -> ScanAction {
        let handler = IsolatedHandler(on: context, callback)
        return { [self] in act(on: ($0, $1), of: $0.peripheralIdentifier, handler) }
    }

    func handler(
        _ callback: @escaping @isolated(any) (WatchEvent) -> ScanAction
    ) -> (WatchEvent) -> ScanAction {
        let handler = IsolatedHandler(on: context, callback)
        return { [self] in act(on: $0, of: $0.discovery?.peripheralIdentifier, handler) }
    }

    /// Returns the action, or `.continue` if an actor returns it later.
    private func act<Report>(
        on report: Report,
        of peripheral: PeripheralIdentifier?,
        _ handler: IsolatedHandler<Report, ScanAction>
    ) -> ScanAction {
        if let action = handler.answer(report) { return action.completing(in: handler) }
        handler.ask(report, isWanted: { [wanted] in wanted.value.contain(peripheral) }) {
            [self] action in
            wanted.update { $0.apply(action, peripheral) }
            let action = UncheckedTransfer(action.completing(in: handler))
            context.post { [self] in onLateAction?(action.value, peripheral) }
        }
        return .continue
    }
}

extension ScanAction {
    /// Returns the action, with a completion that is called in the isolation of the handler that returned it.
    fileprivate func completing<Report>(in handler: IsolatedHandler<Report, ScanAction>) -> Self {
        guard case .connect(let discovery, let timeout, let options, let completion) = self else {
            return self
        }
        return .connect(discovery, timeout, options) { result in
            handler.perform { completion(result) }
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
