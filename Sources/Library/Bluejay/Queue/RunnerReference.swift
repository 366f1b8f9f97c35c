/// A weak reference that many closures share: one of its own costs each of them a further allocation.
final class RunnerReference {
    private(set) weak var runner: OperationRunner?
    init(_ runner: OperationRunner) { self.runner = runner }
}
