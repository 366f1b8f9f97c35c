internal import FoundationEssentials

struct LocalActor: Swift.Sendable {
    let description: PeripheralDescription
    let id: UUID
    /// The actor, while it is advertised: `call` does not retain it.
    var retained: (any AnyObject & Swift.Sendable)?
    /// Runs a method with a JSON array of arguments; returns when the method ends.
    let call: @Sendable (_ target: String, _ arguments: Data) async -> MethodResult
}
