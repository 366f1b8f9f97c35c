/// Keeps an observation active until its release.
package final class ObservationToken {
    private var onEnd: (() -> Void)?

    package init(onEnd: @escaping () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        onEnd?()
    }
}
