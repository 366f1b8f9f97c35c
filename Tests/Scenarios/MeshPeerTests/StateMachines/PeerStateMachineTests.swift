import TestTraits
import Testing

@testable import MeshPeer

private typealias Machine = PeerStateMachine<String>

@Suite("The peers of a mesh node")
struct PeerStateMachineTests {
    private static func machine(maximumPeers: Int = 5) -> Machine {
        var settings = BLECentralManager.Settings()
        settings.maximumPeers = maximumPeers
        var machine = Machine(settings, maximumIdentity: 24)
        machine.start()
        machine.windowStarted()
        return machine
    }

    private static func machine(connected: [String: [UInt8]], maximumPeers: Int = 5) -> Machine {
        var machine = machine(maximumPeers: maximumPeers)
        for (peer, identity) in connected.sorted(by: { $0.key < $1.key }) {
            _ = machine.seen(peer, now: .zero)
            _ = machine.linkUp(peer, isNode: true, now: .zero)
            _ = machine.subscribed(peer)
            _ = machine.identityRead(peer, identity, now: .zero)
        }
        return machine
    }

    @Test("A node is dialled, subscribed to and identified; then it is a connected peer")
    func connection() {
        var machine = Self.machine()
        #expect(machine.seen("A", now: .zero) == [.connect("A")])
        #expect(machine.seen("A", now: .seconds(9)) == [])
        #expect(machine.linkUp("A", isNode: true, now: .zero) == [.subscribe("A")])
        #expect(machine.subscribed("A") == [.readIdentity("A")])
        #expect(machine.connectedPeers == [])
        #expect(
            machine.identityRead("A", [1], now: .zero) == [.connected("A", identity: [1])]
        )
        #expect(machine.connectedPeers == ["A"] && machine.identity(of: "A") == [1])
    }

    @Test("A node that failed is dialled again 5 s after its last attempt, not sooner")
    func cache() {
        var machine = Self.machine()
        _ = machine.seen("A", now: .seconds(1))
        let failed = machine.linkFailed("A", isInRange: false, now: .seconds(2))
        #expect(failed == [.release("A")])
        #expect(machine.seen("A", now: .seconds(3)) == [.setTimer(.seconds(6))])
        #expect(machine.seen("A", now: .seconds(4)) == [])
        #expect(machine.timerFired(now: .seconds(6)) == [.connect("A")])
    }

    @Test("The loss of a peer clears its cache entry: it is dialled at its next advertisement")
    func loss() {
        var machine = Self.machine(connected: ["A": [1]])
        #expect(
            machine.linkEnded("A", reason: "r", now: .seconds(1))
                == [.release("A"), .lost("A", .linkEnded(reason: "r"))]
        )
        #expect(machine.seen("A", now: .seconds(1)) == [.connect("A")])
    }

    @Test("At most the allowed number of peers is held, and the longest waiting one is next")
    func places() {
        var machine = Self.machine(connected: ["A": [1], "B": [2]], maximumPeers: 2)
        #expect(machine.seen("C", now: .seconds(1)) == [])
        #expect(machine.seen("D", now: .seconds(1)) == [])
        #expect(
            machine.linkEnded("A", reason: nil, now: .seconds(2))
                == [.release("A"), .lost("A", .linkEnded(reason: nil)), .connect("C")]
        )
    }

    @Test("A node without an earlier attempt is dialled before a failed one")
    func turns() {
        var machine = Self.machine(maximumPeers: 1)
        _ = machine.seen("A", now: .zero)
        _ = machine.linkFailed("A", isInRange: false, now: .seconds(1))
        _ = machine.seen("peer", now: .seconds(1))
        _ = machine.linkUp("peer", isNode: true, now: .seconds(1))
        _ = machine.subscribed("peer")
        _ = machine.identityRead("peer", [1], now: .seconds(1))
        _ = machine.seen("A", now: .seconds(10))
        _ = machine.seen("B", now: .seconds(10))
        #expect(
            machine.linkEnded("peer", reason: nil, now: .seconds(11)).last == .connect("B")
        )
    }

    @Test("A peer that drops at once is dialled like a failed node, and a stable peer is not")
    func shortSuccess() {
        var machine = Self.machine()
        var now = Duration.zero
        func connect() {
            while machine.seen("A", now: now) != [.connect("A")] {
                now += .seconds(1)
                if machine.timerFired(now: now) == [.connect("A")] { break }
            }
            _ = machine.linkUp("A", isNode: true, now: now)
            _ = machine.subscribed("A")
            _ = machine.identityRead("A", [1], now: now)
        }
        let pauses = (0..<6).map { _ in
            let start = now
            connect()
            _ = machine.linkEnded("A", reason: nil, now: now)
            return now - start
        }
        #expect(pauses == [0, 0, 10, 20, 40, 80].map { .seconds($0) })
        connect()
        now += .seconds(5)
        _ = machine.linkEnded("A", reason: nil, now: now)
        #expect(machine.seen("A", now: now) == [.connect("A")])
    }

    @Test("A peer that removes its service again and again loses its link")
    func shortService() {
        var machine = Self.machine(connected: ["A": [1]])
        for _ in 0..<3 {
            let lost = machine.serviceRemoved("A", now: .seconds(1))
            #expect(lost == [.lost("A", .linkEnded(reason: nil))])
            _ = machine.linkUp("A", isNode: true, now: .seconds(1))
            _ = machine.subscribed("A")
            _ = machine.identityRead("A", [1], now: .seconds(1))
        }
        #expect(machine.serviceRemoved("A", now: .seconds(1)).first == .release("A"))
    }

    @Test("Each failure doubles the pause before the next attempt, up to five minutes")
    func pauses() {
        var machine = Self.machine()
        var now = Duration.zero
        let pauses = (0..<9).map { _ in
            let start = now
            while machine.seen("A", now: now) != [.connect("A")] {
                now += .seconds(1)
                _ = machine.linkFailed("A", isInRange: false, now: now)
                if machine.timerFired(now: now) == [.connect("A")] { break }
            }
            _ = machine.linkFailed("A", isInRange: false, now: now)
            return now - start
        }
        #expect(pauses == [0, 5, 10, 20, 40, 80, 160, 300, 300].map { .seconds($0) })
    }

    @Test("A short attempt ends for a waiting new node, and the oldest attempt continues")
    func shares() {
        var machine = Self.machine(maximumPeers: 2)
        for peer in ["A", "B"] {
            _ = machine.seen(peer, now: .zero)
            _ = machine.attemptStarted(peer, now: .zero)
        }
        #expect(machine.seen("C", now: .zero) == [.setTimer(.seconds(20))])
        for number in 0..<99 { _ = machine.seen("\(number)", now: .zero) }
        let actions = machine.timerFired(now: .milliseconds(400))
        #expect(actions.first == .release("B"))
        #expect(actions.contains(.connect("C")))
    }

    @Test("The share of an attempt that waits for the end of another link starts with its dialling")
    func waitingAttempts() {
        var machine = Self.machine(maximumPeers: 1)
        _ = machine.seen("A", now: .zero)
        #expect(machine.seen("B", now: .seconds(60)) == [])
        #expect(machine.attemptStarted("A", now: .seconds(60)) == [.setTimer(.seconds(70))])
        #expect(machine.timerFired(now: .seconds(70)).first == .release("A"))
    }

    @Test("Failed nodes get every fourth attempt, however many new nodes appear")
    func retries() {
        var machine = Self.machine(maximumPeers: 1)
        _ = machine.seen("A", now: .zero)
        var actions = machine.linkFailed("A", isInRange: true, now: .zero)
        for number in 1...20 {
            let now = Duration.seconds(Int64(10 * number))
            for peer in ["\(number)", "\(number)b"] {
                let new = machine.seen(peer, now: now)
                for case .connect(let peer) in new { _ = machine.attemptStarted(peer, now: now) }
                actions += new
            }
        }
        #expect(actions.contains(.connect("A")))
    }

    @Test("A device without the service is left alone for 30 s, then twice as long, up to an hour")
    func opinions() {
        var machine = Self.machine()
        var now = Duration.zero
        var reports = 0
        let pauses = (0..<9).map { _ in
            let start = now
            while machine.seen("A", now: now) != [.connect("A")] { now += .seconds(10) }
            let actions = machine.linkUp("A", isNode: false, now: now)
            if actions.contains(.notAPeer("A")) { reports += 1 }
            return now - start
        }
        #expect(pauses == [0, 30, 60, 120, 240, 480, 960, 1920, 3600].map { .seconds($0) })
        #expect(reports == 1)
    }

    @Test("A new scan forgets which devices have no service")
    func stranger() {
        var machine = Self.machine()
        _ = machine.seen("A", now: .zero)
        #expect(
            machine.linkUp("A", isNode: false, now: .zero) == [.release("A"), .notAPeer("A")]
        )
        #expect(machine.seen("A", now: .seconds(29)) == [])
        _ = machine.stop()
        machine.start()
        machine.windowStarted()
        #expect(machine.seen("A", now: .seconds(29)) == [.connect("A")])
    }

    @Test("An identity of more than 24 bytes is rejected, and an empty one identifies no peer")
    func identities() {
        var machine = Self.machine(connected: ["A": []])
        for peer in ["B", "C"] {
            _ = machine.seen(peer, now: .zero)
            _ = machine.linkUp(peer, isNode: true, now: .zero)
            _ = machine.subscribed(peer)
        }
        let long = [UInt8](repeating: 7, count: 25)
        #expect(
            machine.identityRead("B", long, now: .zero) == [.release("B"), .notAPeer("B")]
        )
        #expect(machine.identityRead("C", [], now: .zero) == [.connected("C", identity: [])])
    }

    @Test("A node with the identity of a connected peer is a peer, too")
    func equalIdentities() {
        var machine = Self.machine(connected: ["A": [1]])
        _ = machine.seen("B", now: .zero)
        _ = machine.linkUp("B", isNode: true, now: .zero)
        _ = machine.subscribed("B")
        #expect(
            machine.identityRead("B", [1], now: .zero) == [.connected("B", identity: [1])]
        )
        #expect(machine.connectedPeers == ["A", "B"])
    }

    @Test("The end of the scan releases every link; only connected peers are reported as lost")
    func stop() {
        var machine = Self.machine(connected: ["A": [1]])
        _ = machine.seen("B", now: .zero)
        #expect(machine.stop() == [.release("A"), .lost("A", .released), .release("B")])
        #expect(machine.discoveredPeers == [])
        #expect(machine.seen("A", now: .seconds(1)) == [])
    }

    @Test("Switching Bluetooth off loses each peer once, and clears its cache entry")
    func unavailable() {
        var machine = Self.machine(connected: ["A": [1]])
        #expect(machine.becameUnavailable() == [.release("A"), .lost("A", .unavailable)])
        #expect(machine.becameUnavailable() == [])
        #expect(machine.linkEnded("A", reason: nil, now: .zero) == [])
        #expect(machine.seen("A", now: .seconds(1)) == [.connect("A")])
    }

    @Test("A peer of the previous run is dialled without a scan, and once")
    func restoration() {
        var settings = BLECentralManager.Settings()
        settings.maximumPeers = 1
        var machine = Machine(settings, maximumIdentity: 24)
        #expect(machine.restore("A", now: .zero) == [.connect("A")])
        #expect(machine.restore("A", now: .zero) == [])
        #expect(machine.restore("B", now: .zero) == [])
    }

    @Test("A peer whose address pairing replaced is lost and connected under its new identity")
    func move() {
        var machine = Self.machine(connected: ["A": [1]])
        #expect(
            machine.moved("A", to: "B", now: .zero)
                == [.lost("A", .released), .connected("B", identity: [1])]
        )
        #expect(machine.connectedPeers == ["B"])
    }

    @Test("A peer whose address becomes that of another link frees its place")
    func moveToHeld() {
        var machine = Self.machine(connected: ["A": [1], "B": [2]], maximumPeers: 2)
        _ = machine.seen("C", now: .zero)
        #expect(
            machine.moved("A", to: "B", now: .zero)
                == [.release("A"), .lost("A", .released), .connect("C")]
        )
        #expect(machine.connectedPeers == ["B"])
        #expect(machine.linkEnded("A", reason: nil, now: .zero) == [])
    }

    @Test("Of more than 1,024 nodes the one not seen for the longest time is forgotten", .computing)
    func crowd() {
        var machine = Self.machine(connected: ["peer": [1]], maximumPeers: 1)
        for number in 0..<1500 { _ = machine.seen("\(number)", now: .seconds(Int64(number))) }
        #expect(machine.discoveredPeers.count == 1024)
        #expect(machine.discoveredPeers.last == "1499")
        #expect(machine.discoveredPeers.contains("peer"))
    }
}
