/// The users of a link: its leases, and the retainers that keep it up without a lease.
final class LinkUsers {
    private struct Member {
        weak var lease: LinkLease?
    }

    private var members: [LinkStateMachine.User: Member] = [:]
    /// Released leases that wait for the link to be down, with their completions.
    private var leaving: [LinkStateMachine.User: (lease: LinkLease, completion: () -> Void)] = [:]
    private var lastUser = 0
    private var retainerCount = 0
    /// Whether completions must wait for the next iteration of the loop.
    private(set) var defersCompletions = false

    func makeUser() -> LinkStateMachine.User {
        lastUser += 1
        return lastUser
    }

    func add(_ lease: LinkLease) {
        members[lease.user] = Member(lease: lease)
    }

    func remove(_ user: LinkStateMachine.User) {
        members[user] = nil
    }

    func has(_ user: LinkStateMachine.User) -> Bool { members[user] != nil }

    func lease(_ user: LinkStateMachine.User) -> LinkLease? { members[user]?.lease }

    var leases: [LinkLease] {
        members.sorted { $0.key < $1.key }.compactMap(\.value.lease)
    }

    /// Keeps a released lease until `left`.
    func leave(_ lease: LinkLease, _ completion: @escaping () -> Void) {
        let former = leaving.updateValue((lease, completion), forKey: lease.user)
        // A completion may hold the last reference to another lease.
        withExtendedLifetime(former) {}
    }

    func left(_ user: LinkStateMachine.User) {
        let released = leaving.removeValue(forKey: user)
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
