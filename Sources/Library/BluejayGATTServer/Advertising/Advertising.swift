public import BluejayCore
internal import BluejayGLib

/// One of the advertisements of a ``GATTServer``.
///
/// It goes on until it is stopped, also when this is released. Any thread may call it, as
/// its server; the callbacks come on the server's main loop.
public final class Advertising: @unchecked Swift.Sendable {
    // The session is confined to the main loop, and every call from elsewhere is posted to it; its snapshot and
    // its property are safe by themselves: that is the invariant behind `@unchecked`.
    private let session: AdvertisingSession
    private let runner: AdvertisingRunner
    private let mainLoop: MainLoop

    init(_ session: AdvertisingSession, of runner: AdvertisingRunner, on mainLoop: MainLoop) {
        self.session = session
        self.runner = runner
        self.mainLoop = mainLoop
    }

    /// Whether bluetoothd has it at present.
    ///
    /// For a moment it has not while a connection or an update has it registered anew on an adapter that
    /// has no room for two.
    public var isActive: Bool { session.shown.value.isActive }

    /// What is sent: that of the last update that succeeded.
    public var advertisement: LocalAdvertisement { session.shown.value.advertisement }

    /// Called once when it has ended by itself.
    ///
    /// Without an error its ``LocalAdvertisement/timeout`` was over; with one, bluetoothd refused to
    /// begin it again after a restart.
    public var onEnd: ((BluejayError?) -> Void)? {
        get { session.onEnd.latest }
        set { session.onEnd.set(newValue, on: mainLoop) }
    }

    /// Sends something else from now on.
    ///
    /// The new content is registered before the old one goes where the adapter has room for both;
    /// otherwise there is a moment in which nothing is sent. When the new one is refused the old one
    /// stays, or comes back. Updates are done in the order of their calls.
    ///
    /// - Parameters:
    ///   - advertisement: What is checked with ``LocalAdvertisement/validated()`` first; its
    ///     ``LocalAdvertisement/timeout`` begins anew.
    ///   - completion: Called when bluetoothd has taken it, or with what is wrong:
    ///     ``BluejayError/cancelled`` when it has been stopped or has ended.
    public func update(
        to advertisement: LocalAdvertisement,
        completion: @escaping GATTServer.Completion = { _ in }
    ) {
        mainLoop.make { [runner, session, mainLoop] in
            mainLoop.outside(completion) {
                runner.update(session, to: advertisement, completion: $0)
            }
        }
    }

    /// Ends it; connected centrals stay, and a call that begins or updates it fails with
    /// ``BluejayError/cancelled``.
    ///
    /// - Parameter completion: Called when bluetoothd has let it go; in the next turn when it has none.
    public func stop(completion: @escaping () -> Void = {}) {
        mainLoop.make { [session, mainLoop] in
            mainLoop.outside({ _ in completion() }) { done in
                session.stop { done(.success(())) }
            }
        }
    }
}
