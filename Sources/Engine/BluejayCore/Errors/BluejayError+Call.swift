extension BluejayError {
    /// The call that failed.
    ///
    /// New versions add new calls.
    public struct Call: Hashable, Swift.Sendable, CustomStringConvertible {
        /// The name in messages, such as `read`.
        public let description: String

        /// The preposition between the name and the object.
        private let preposition: String

        private init(_ description: String, _ preposition: String) {
            self.description = description
            self.preposition = preposition
        }

        /// The name with an object, such as `write to 2A39`.
        package func text(_ object: String) -> String { "\(description) \(preposition) \(object)" }

        /// `connect`, or an attempt to reconnect.
        public static let connect = Call("connect", "to")
        /// `disconnect`.
        public static let disconnect = Call("disconnect", "from")
        /// `read`.
        public static let read = Call("read", "of")
        /// `write`.
        public static let write = Call("write", "to")
        /// `ask`.
        public static let ask = Call("request", "to")
        /// `listen`, including its values and its end.
        public static let listen = Call("listen", "to")
        /// `endListen`.
        public static let endListen = Call("end of listening", "to")
        /// `scan`.
        public static let scan = Call("scan", "for")
        /// `setAlias`.
        public static let setAlias = Call("alias change", "of")
        /// `pair`.
        public static let pair = Call("pairing", "with")
        /// `cancelPairing`.
        public static let cancelPairing = Call("pairing cancellation", "with")
        /// `watch`.
        public static let watch = Call("watch", "for")
        /// `run(backgroundTask:)`.
        public static let backgroundTask = Call("background task", "with")
        /// `readRSSI`.
        public static let readRSSI = Call("RSSI read", "of")
        /// `listAdapters`.
        public static let listAdapters = Call("adapter list", "of")
        /// `setPowered`.
        public static let setPowered = Call("power switch", "of")
        /// `setAdapterAlias`.
        public static let setAdapterAlias = Call("alias change", "of")
        /// `useAdapter`.
        public static let useAdapter = Call("selection", "of")
        /// `connectedPeripherals`.
        public static let connectedPeripherals = Call("list of connected peripherals", "of")
        /// `knownPeripherals`.
        public static let knownPeripherals = Call("list of known peripherals", "of")
        /// `forget`.
        public static let forget = Call("removal", "of")
        /// `add` of a service to the GATT server.
        public static let addService = Call("publication", "of")
        /// `remove` of a service.
        public static let removeService = Call("removal", "of")
        /// A notification or indication to subscribers.
        public static let notify = Call("notification", "of")
        /// `startAdvertising`, or the advertisement while it is on the air.
        public static let advertise = Call("advertisement", "of")
        /// `open` of an L2CAP channel, or its end.
        public static let openChannel = Call("channel", "to")
        /// `start` of an L2CAP listener, or its end.
        public static let listenForChannels = Call("listener", "on")
        /// `send` on an L2CAP channel.
        public static let sendOnChannel = Call("send", "to")
    }
}
