internal import BluejayGLib

/// What one instance tells and is asked of the adapters: the observers, and the calls that are pending.
///
/// These calls join no queue. Each has a number, under which it is ended exactly once.
final class AdapterDesk {
    var observers = WeakObservers<any AdapterObserver>()
    /// What was told last.
    private(set) var roster = AdapterRoster()
    /// The same for other threads.
    let published = Snapshot(AdapterRoster())
    /// The number of the last call.
    private(set) var lastCall = 0
    /// How each pending call fails.
    private var calls: [Int: (BluejayError) -> Void] = [:]
    /// What waits until bluetoothd is known: choices before the adapter is chosen, the rest then.
    private var choices: [() -> Void] = []
    private var questions: [() -> Void] = []

    /// These are the adapters now; gives what is to be told.
    func changed(to adapters: [BluetoothAdapter], using name: String?) -> [AdapterRoster.Change] {
        let changes = roster.changed(to: adapters, using: name)
        if roster != published.value { published.value = roster }
        return changes
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

    /// bluetoothd is not followed any more: who observes hears of a new start as of a first one.
    func stop() {
        roster = AdapterRoster()
        published.value = roster
    }
}
