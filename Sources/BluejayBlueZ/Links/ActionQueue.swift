internal import BluejayGLib
internal import DequeModule

/// Actions of a machine in their order: those that come while one is performed wait for their turn.
///
/// What is performed may run a main loop of its own, in a dialog for example; then the rest is performed
/// there rather than behind it.
final class ActionQueue<Action> {
    private var waiting: Deque<Action> = []
    /// How deep the main loops were nested when performing began; nil while nothing is performed.
    private var depth: Int?

    func perform(_ new: [Action], _ perform: (Action) -> Void) {
        guard !new.isEmpty else { return }
        waiting.append(contentsOf: new)
        let here = MainContext.depth
        if let depth, depth >= here { return }
        let outer = depth
        depth = here
        while let action = waiting.popFirst() { perform(action) }
        depth = outer
    }
}
