internal import BluejayGLib

/// What one instance tells and is asked of the adapters: the observers, and the calls that are pending.
///
/// These calls join no queue. Each has a number, under which it is ended exactly once.
final class AdapterDesk {
    private var listeners: [AdapterListener] = []
    /// What was told last.
    private(set) var roster = AdapterRoster()
    /// The same for other threads.
    let published = Snapshot(AdapterRoster())
    /// How often bluetoothd was not followed any more.
    private(set) var stops = 0
    /// The number of the last call.
    private(set) var lastCall = 0
    /// How each pending call fails.
    private var calls: [Int: (BluejayError) -> Void] = [:]
    /// What waits until bluetoothd is known: choices before the adapter is chosen, the rest then.
    private var choices: [() -> Void] = []
    private var questions: [() -> Void] = []

    /// These are the adapters now; gives what is to be told.
    func changed(to adapters: [BluetoothAdapter], using name: String?) -> [AdapterWord] {
        let changes = roster.changed(to: adapters, using: name)
        guard !changes.isEmpty else { return [] }
        published.value = roster
        listeners.removeAll { $0.observer == nil }
        return changes.flatMap { change in
            listeners.map { AdapterWord(listener: $0, change: change) }
        }
    }

    // MARK: Observers

    /// Adds an observer at the end, or moves it there, and tells it how things are.
    func register(_ observer: any AdapterObserver) {
        unregister(observer)
        listeners.append(AdapterListener(observer))
        for change in roster.present { observer.hear(change) }
    }

    /// Removes an observer, who hears nothing more.
    func unregister(_ observer: any AdapterObserver) {
        for listener in listeners where listener.observer === observer { listener.end() }
        listeners.removeAll { $0.observer == nil }
    }

    // MARK: Calls

    /// A call begins; gives its number.
    func begin(_ fail: @escaping (BluejayError) -> Void) -> Int {
        lastCall += 1
        calls[lastCall] = fail
        return lastCall
    }

    /// A call has ended; gives how it fails, or nil when it ended before.
    func end(_ call: Int) -> ((BluejayError) -> Void)? {
        calls.removeValue(forKey: call)
    }

    /// All calls have ended; gives how they fail, in their order.
    func endCalls() -> [(BluejayError) -> Void] {
        let ended = calls.sorted { $0.key < $1.key }.map(\.value)
        calls = [:]
        choices = []
        questions = []
        return ended
    }

    func waitToChoose(_ choice: @escaping () -> Void) {
        choices.append(choice)
    }

    func waitToAsk(_ question: @escaping () -> Void) {
        questions.append(question)
    }

    func takeChoices() -> [() -> Void] {
        defer { choices = [] }
        return choices
    }

    func takeQuestions() -> [() -> Void] {
        defer { questions = [] }
        return questions
    }

    /// bluetoothd is not followed any more, and there are no adapters; gives what is to be told.
    @discardableResult
    func stop() -> [AdapterWord] {
        stops += 1
        let words = roster.isKnown ? changed(to: [], using: nil) : []
        roster = AdapterRoster()
        published.value = roster
        return words
    }
}

/// What one observer is to be told.
struct AdapterWord {
    fileprivate let listener: AdapterListener
    fileprivate let change: AdapterRoster.Change

    func tell() {
        listener.observer?.hear(change)
    }
}

/// One registration of an observer: what waits to be told to it goes with it.
final class AdapterListener {
    private(set) weak var observer: (any AdapterObserver)?

    init(_ observer: any AdapterObserver) {
        self.observer = observer
    }

    func end() {
        observer = nil
    }
}
