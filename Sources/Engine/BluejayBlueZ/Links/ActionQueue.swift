internal import BluejayGLib
internal import DequeModule

/// Actions of a machine in their order: those that come while one is performed wait for their turn.
///
/// What is performed may run a main loop of its own, in a dialog for example; then the rest is performed
/// there rather than behind it.
package final class ActionQueue<Action> {
    private var waiting: Deque<Action> = []
    /// How deep the main loops were nested when performing began; nil while nothing is performed.
    private var depth: Int?

    package init() {}

    package func perform(_ new: [Action], _ perform: (Action) -> Void) {
        self.perform(new, as: { $0 }, perform)
    }

    /// Performs actions of a part of the machine, as those of the whole.
    package func perform<Part>(
        _ new: [Part],
        as whole: (Part) -> Action,
        _ perform: (Action) -> Void
    ) {
        guard let first = new.first else { return }
        let here = MainContext.depth
        let outer = depth
        if let outer, outer >= here {
            waiting.append(contentsOf: new.lazy.map(whole))
            return
        }
        depth = here
        if waiting.isEmpty {
            // Nearly always there is one, and nothing before it.
            waiting.append(contentsOf: new.dropFirst().lazy.map(whole))
            perform(whole(first))
        } else {
            waiting.append(contentsOf: new.lazy.map(whole))
        }
        while let action = waiting.popFirst() { perform(action) }
        depth = outer
    }
}
