internal import BluejayGLib

/// The sockets of one link, by the characteristic.
struct LinkSockets {
    typealias Attribute = AttributeMachine.Attribute

    /// After so long without a value the socket is given back: nobody else can write meanwhile.
    static let idleTime = Duration.seconds(1)
    /// Waits between two looks at what bluetoothd has not read; the last one repeats.
    ///
    /// The kernel tells nobody when a socket has become empty.
    static let looks: [Duration] = [1, 1, 2, 4, 8, 16].map { .milliseconds($0) }
    /// How long a link that is being cut waits for what was written to it.
    static let lingering = Duration.seconds(2)

    var machine = WriteSocketMachine()
    var writing: [Attribute: WriteSocket] = [:]
    /// Those that are not used any more, until bluetoothd has read what is in them.
    var lingering: [WriteSocket] = []
    var listening: [Attribute: ListenSocket] = [:]
    /// Subscriptions that would rather have a socket.
    var wishes: [Attribute: Set<AttributeMachine.Request>] = [:]
    /// Characteristics whose values bluetoothd has ended by itself.
    var hungUp: Set<Attribute> = []

    /// Whether nothing that was written can be in a socket.
    var isEmpty: Bool { writing.isEmpty && lingering.isEmpty }

    /// Whether no value went without response: a write with response has nothing to do with sockets.
    var isUnused: Bool { isEmpty && machine.isUnused }

    /// Whether bluetoothd has read all that a user sent, or anybody did.
    func areRead(by user: LinkMachine.User?, but own: Attribute? = nil) -> Bool {
        guard !isEmpty else { return true }
        return !lingering.contains { $0.isUnread(by: user) }
            && !writing.contains { $0.key != own && $0.value.isUnread(by: user) }
    }

    static func look(_ number: Int) -> Duration { looks[min(number, looks.count - 1)] }
}
