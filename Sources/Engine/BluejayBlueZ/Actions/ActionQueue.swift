internal import BluejayGLib
internal import DequeModule

/// A queue that performs the actions of a machine in order.
///
/// An action added during another one waits in the queue. If an action runs a nested main loop, that loop
/// performs the remaining ones.
package final class ActionQueue<Action> {
    private var pendingActions: Deque<Action> = []
    /// The nesting depth of main loops when performing started; nil while idle.
    private var depth: Int?

    package init() {}

    package func perform(_ new: [Action], _ perform: (Action) -> Void) {
        self.perform(new, as: { $0 }, perform)
    }

    package func perform<Part>(
        _ new: [Part],
        as whole: (Part) -> Action,
        _ perform: (Action) -> Void
    ) {
        guard let first = new.first else { return }
        let here = MainContext.dispatchDepth
        let outer = depth
        if let outer, outer >= here {
            for part in new { pendingActions.append(whole(part)) }
            return
        }
        depth = here
        if pendingActions.isEmpty {
            // The usual case: one action and an empty queue.
            for part in new.dropFirst() { pendingActions.append(whole(part)) }
            perform(whole(first))
        } else {
            for part in new { pendingActions.append(whole(part)) }
        }
        while let action = pendingActions.popFirst() { perform(action) }
        depth = outer
    }
}
