// Lists the distributed methods of this program, as Bleu does.
import Distributed

distributed actor Thermometer {
    typealias ActorSystem = LocalTestingDistributedActorSystem

    distributed func read() async throws -> Double { 20 }
    distributed func calibrate(offset: Double, at temperature: Double) async throws {}
    distributed func updates() -> AsyncStream<Int> { AsyncStream { $0.finish() } }
    distributed func notify(_ message: String) async {}
}

private distributed actor Hidden {
    typealias ActorSystem = LocalTestingDistributedActorSystem

    distributed func reset() {}
}

extension AsyncStream: @retroactive Codable where Element: Codable {
    /// Not called.
    public init(from decoder: any Decoder) throws { fatalError("not a value") }
    /// Not called.
    public func encode(to encoder: any Encoder) throws {}
}

for method in MethodRecord.all {
    let result = method.isStream ? "stream" : method.hasResult ? "value" : "nothing"
    print("\(method.owner.name).\(method.name) \(method.parameterCount) \(result)")
}
