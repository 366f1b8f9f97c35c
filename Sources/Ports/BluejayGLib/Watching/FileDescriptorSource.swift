internal import CBluejay

/// What a file descriptor is ready for; the values are those of poll(2).
package struct IOCondition: OptionSet, Swift.Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Whether there is none; costs less than `isEmpty`, which makes a set to compare with.
    package var isNone: Bool { rawValue == 0 }

    /// Reading does not block.
    package static let readable = IOCondition(rawValue: BLUEJAY_IN.rawValue)
    /// Writing does not block.
    package static let writable = IOCondition(rawValue: BLUEJAY_OUT.rawValue)
    /// The other end has closed.
    package static let hangUp = IOCondition(rawValue: BLUEJAY_HUP.rawValue)
    /// The descriptor has failed.
    package static let error = IOCondition(rawValue: BLUEJAY_ERR.rawValue)
}

/// Calls back on the context while a file descriptor is ready; it does not own the descriptor.
///
/// Hang-up and error are always reported, asked for or not, as poll(2) does. A main loop that runs
/// inside `ready` reports what is ready then, unless the source is made not to.
package final class FileDescriptorSource {
    private let source: EventSource
    private let watched = WatchedFileDescriptor()

    /// Starts watching; `ready` is called once a turn while a condition holds.
    package init(
        _ descriptor: Int32,
        _ condition: IOCondition,
        on context: MainContext,
        canRecurse: Bool = true,
        ready: @escaping (IOCondition) -> Void
    ) {
        let watched = watched
        source = EventSource(
            SourceCallbacks(
                check: { !watched.condition.isEmpty },
                dispatch: {
                    let condition = watched.condition
                    if !condition.isEmpty { ready(condition) }
                }
            ),
            on: context,
            canRecurse: canRecurse
        )
        watched.source = source
        watched.number = descriptor
        watch(for: condition)
    }

    /// Watches for something else from now on; for nothing at all, hang-up included, when it is empty.
    package func watch(for condition: IOCondition) {
        watched.watch(for: condition)
    }

    /// Stops watching; later calls do nothing.
    package func cancel() {
        source.cancel()
    }
}

@safe private final class WatchedFileDescriptor {
    weak var source: EventSource?
    var number: Int32 = -1
    private var tag: UnsafeMutableRawPointer?

    func watch(for condition: IOCondition) {
        guard let source else { return }
        guard let tag = unsafe tag else {
            if !condition.isNone { unsafe self.tag = source.addDescriptor(number, condition) }
            return
        }
        guard condition.isNone else { return unsafe source.modifyDescriptor(tag, condition) }
        unsafe self.tag = nil
        unsafe source.removeDescriptor(tag)
    }

    var condition: IOCondition {
        guard let source, let tag = unsafe tag else { return [] }
        return unsafe source.condition(of: tag)
    }
}
