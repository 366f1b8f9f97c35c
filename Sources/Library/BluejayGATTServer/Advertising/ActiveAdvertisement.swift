internal import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib

/// An advertisement of a ``GATTServer``.
///
/// It continues until it is stopped, even after this object is released. Any thread may call it; callbacks
/// run on the server's main loop.
public final class ActiveAdvertisement: @unchecked Swift.Sendable {
    // Calls from other threads are posted to the main loop, which the session is confined to; its snapshot
    // and its property are thread-safe. That is the invariant behind `@unchecked`.
    private let session: AdvertisingSession
    private let publisher: AdvertisementPublisher
    private let mainLoop: MainLoop

    init(_ session: AdvertisingSession, of publisher: AdvertisementPublisher, on mainLoop: MainLoop)
    {
        self.session = session
        self.publisher = publisher
        self.mainLoop = mainLoop
    }

    var log: Log { publisher.log }

    /// Whether the advertisement is registered with bluetoothd.
    ///
    /// It is briefly unregistered during a renewal on an adapter without room for two.
    public var isActive: Bool { session.publicState.value.isActive }

    /// The advertised content, as of the last update that succeeded.
    public var advertisement: LocalAdvertisement { session.publicState.value.advertisement }

    /// Called once when the advertisement ends without a call to ``stop(completion:)``.
    ///
    /// Without an error, its ``LocalAdvertisement/timeout`` has passed; with one, bluetoothd refused to
    /// register it again after a restart.
    public var onEnd: (@isolated(any) (BluejayError?) -> Void)? {
        get { session.onEnd.latest }
        set { session.onEnd.set(newValue.map { mainLoop.context.callback($0) }, on: mainLoop) }
    }

    /// Replaces the content of the advertisement.
    ///
    /// If the adapter has room for both, the new content is registered before the old one is removed;
    /// otherwise advertising pauses briefly. If bluetoothd refuses the new content, the old one stays or is
    /// restored. Updates are performed in order.
    ///
    /// - Parameters:
    ///   - advertisement: The content, checked with ``LocalAdvertisement/validated()`` first; its
    ///     ``LocalAdvertisement/timeout`` starts over.
    ///   - completion: Called when bluetoothd has accepted the content. Fails with ``BluejayError/cancelled``
    ///     if the advertisement was stopped or has ended.
    public func update(
        to advertisement: LocalAdvertisement,
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        mainLoop.callOrPost { [publisher, session, mainLoop] in
            mainLoop.deferringCompletion(completion) {
                publisher.update(session, to: advertisement, completion: $0)
            }
        }
    }

    /// Stops the advertisement; connected centrals stay connected.
    ///
    /// Calls that start or update it fail with ``BluejayError/cancelled``.
    ///
    /// - Parameter completion: Called when bluetoothd has removed the advertisement, or on the next iteration
    ///   if bluetoothd had none.
    public func stop(completion: @escaping @isolated(any) () -> Void) {
        let completion = mainLoop.context.callback(completion)
        mainLoop.callOrPost { [session, mainLoop] in
            mainLoop.deferringCompletion({ _ in completion() }) { completion in
                session.stop { completion(.success(())) }
            }
        }
    }
}
