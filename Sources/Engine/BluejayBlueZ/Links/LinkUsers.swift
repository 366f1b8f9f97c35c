/// The users of a link: its leases, and the retainers that keep it up without a lease.
final class LinkUsers {
    private struct Member {
        weak var lease: LinkLease?
    }

    private var members: [LinkStateMachine.LeaseID: Member] = [:]
    /// Released leases that wait for the link to be down, with their completions.
    private var releasingLeases:
        [LinkStateMachine.LeaseID: (lease: LinkLease, completion: () -> Void)] = [:]
    private var lastLeaseID = 0
    private var retainerCount = 0
    /// Whether completions must wait for the next iteration of the loop.
    private(set) var defersCompletions = false

    func makeLeaseID() -> LinkStateMachine.LeaseID {
        lastLeaseID += 1
        return lastLeaseID
    }

    func add(_ lease: LinkLease) {
        members[lease.id] = Member(lease: lease)
    }

    func remove(_ user: LinkStateMachine.LeaseID) {
        members[user] = nil
    }

    func has(_ user: LinkStateMachine.LeaseID) -> Bool { members[user] != nil }

    func lease(_ user: LinkStateMachine.LeaseID) -> LinkLease? { members[user]?.lease }

    var leases: [LinkLease] {
        members.sorted { $0.key < $1.key }.compactMap(\.value.lease)
    }

    /// Keeps a released lease until `released`.
    func startReleasing(_ lease: LinkLease, _ completion: @escaping () -> Void) {
        let former = releasingLeases.updateValue((lease, completion), forKey: lease.id)
        // A completion may hold the last reference to another lease.
        withExtendedLifetime(former) {}
    }

    func released(_ user: LinkStateMachine.LeaseID) {
        let released = releasingLeases.removeValue(forKey: user)
        members[user] = nil
        released?.completion()
    }

    /// Adds or removes retainers; returns whether one remains.
    func changeRetainers(by count: Int) -> Bool {
        retainerCount += count
        return retainerCount > 0
    }

    func deferringCompletions(_ work: () -> Void) {
        defersCompletions = true
        work()
        defersCompletions = false
    }
}
