internal import CBluejay

/// The conditions of a file descriptor, with the values of poll(2).
package struct IOCondition: OptionSet, Swift.Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Whether the set is empty; cheaper than `isEmpty`, which creates a set to compare with.
    package var isEmpty: Bool { rawValue == 0 }

    /// Reading does not block.
    package static let readable = IOCondition(rawValue: BLUEJAY_IN.rawValue)
    /// Writing does not block.
    package static let writable = IOCondition(rawValue: BLUEJAY_OUT.rawValue)
    /// The other end has closed.
    package static let hangUp = IOCondition(rawValue: BLUEJAY_HUP.rawValue)
    /// The descriptor has failed.
    package static let error = IOCondition(rawValue: BLUEJAY_ERR.rawValue)
}

/// Calls a closure on the context while a file descriptor is ready; it does not own the descriptor.
///
/// As in poll(2), hang-up and error are always reported. A main loop inside `handler` also reports the
/// conditions that hold then, unless `canRecurse` is false.
package final class FileDescriptorSource {
    private let source: EventSource
    private let watched = WatchedFileDescriptor()

    /// Starts watching; `handler` is called once per iteration while a condition holds.
    package init(
        _ descriptor: Int32,
        _ condition: IOCondition,
        on context: MainContext,
        canRecurse: Bool = true,
        handler: @escaping (IOCondition) -> Void
    ) {
        let watched = watched
        source = EventSource(
            SourceCallbacks(
                check: { !watched.condition.isEmpty },
                dispatch: {
                    let condition = watched.condition
                    if !condition.isEmpty { handler(condition) }
                }
            ),
            on: context,
            canRecurse: canRecurse
        )
        watched.source = source
        watched.fileDescriptor = descriptor
        watch(for: condition)
    }

    /// Changes the watched conditions; an empty set stops all reports, including hang-up.
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
    var fileDescriptor: Int32 = -1
    private var tag: UnsafeMutableRawPointer?

    func watch(for condition: IOCondition) {
        guard let source else { return }
        guard let tag = unsafe tag else {
            if !condition.isEmpty {
                unsafe self.tag = source.addDescriptor(fileDescriptor, condition)
            }
            return
        }
        guard condition.isEmpty else { return unsafe source.modifyDescriptor(tag, condition) }
        unsafe self.tag = nil
        unsafe source.removeDescriptor(tag)
    }

    var condition: IOCondition {
        guard let source, let tag = unsafe tag else { return [] }
        return unsafe source.condition(of: tag)
    }
}
