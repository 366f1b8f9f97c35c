/// The users of a link: its leases, and the retainers that keep it up without a lease.
final class LinkLeases {
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

    func remove(_ leaseID: LinkStateMachine.LeaseID) {
        members[leaseID] = nil
    }

    func has(_ leaseID: LinkStateMachine.LeaseID) -> Bool { members[leaseID] != nil }

    func lease(_ leaseID: LinkStateMachine.LeaseID) -> LinkLease? { members[leaseID]?.lease }

    var all: [LinkLease] {
        members.sorted { $0.key < $1.key }.compactMap(\.value.lease)
    }

    /// Keeps a released lease until `released`.
    func startReleasing(_ lease: LinkLease, _ completion: @escaping () -> Void) {
        let former = releasingLeases.updateValue((lease, completion), forKey: lease.id)
        // A completion may hold the last reference to another lease.
        withExtendedLifetime(former) {}
    }

    func released(_ leaseID: LinkStateMachine.LeaseID) {
        let released = releasingLeases.removeValue(forKey: leaseID)
        members[leaseID] = nil
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
