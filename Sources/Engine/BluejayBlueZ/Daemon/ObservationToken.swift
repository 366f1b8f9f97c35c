/// Holds an observation; releasing it ends it.
package final class ObservationToken {
    private var onEnd: (() -> Void)?

    package init(onEnd: @escaping () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        onEnd?()
    }
}
