import Bleu
import Distributed
import FoundationEssentials

distributed actor Catalog: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    distributed func read() async throws -> Double { 1 }
    distributed func maybe() -> [Int?]? { nil }
    distributed func calibrate(offset: Double, _ values: [String: Set<Int>]) async throws {}
    distributed func nothing() async {}
    distributed func updates() -> AsyncStream<Double> { AsyncStream { $0.finish() } }
    distributed func throwing(every: Int) -> AsyncThrowingStream<Int, any Error> {
        AsyncThrowingStream { $0.finish() }
    }
    distributed func größe() -> Int { 1 }
    distributed func `say it (twice)`() {}
    distributed var level: Int { 3 }
    private distributed func secret() -> Int { 1 }
    func local() -> Int { 1 }

    distributed actor Nested: PeripheralActor {
        typealias ActorSystem = BLEActorSystem
        distributed func deep(_ depth: Int) -> Int { depth }
    }
}

extension Catalog {
    distributed func readInExtension() -> Data { Data() }
}

extension String {
    distributed actor OfString: PeripheralActor {
        typealias ActorSystem = BLEActorSystem
        distributed func length() -> Int { 0 }
    }
}

distributed actor Overloaded: PeripheralActor {
    typealias ActorSystem = BLEActorSystem
    distributed func a() {}
    distributed func b() {}
    distributed func b(again: Int) {}
}

distributed actor Generic<Value: Codable & Sendable>: PeripheralActor {
    typealias ActorSystem = BLEActorSystem
    distributed func plain() {}

    distributed actor InGeneric: PeripheralActor {
        typealias ActorSystem = BLEActorSystem
        distributed func plain() {}
    }
}

distributed actor WithGenericMethod: PeripheralActor {
    typealias ActorSystem = BLEActorSystem
    distributed func echo<Value: Codable & Sendable>(_ value: Value) -> Value { value }
}

distributed actor Empty: PeripheralActor {
    typealias ActorSystem = BLEActorSystem
}

enum One {
    distributed actor Twin: PeripheralActor {
        typealias ActorSystem = BLEActorSystem
        distributed func first() {}
    }
}

enum Other {
    distributed actor Twin: PeripheralActor {
        typealias ActorSystem = BLEActorSystem
        distributed func second() {}
    }
}

/// Names with words in common, which mangling abbreviates.
distributed actor Words: PeripheralActor {
    typealias ActorSystem = BLEActorSystem
    distributed func readTemperature() {
        distributed actor LocalInMethod: PeripheralActor {
            typealias ActorSystem = BLEActorSystem
            distributed func readTemperature() {}
        }
    }
    distributed func temperatureSensorRead2(sensorTemperature: Int) {}
    distributed func Temperature() -> Words.Deep { Words.Deep() }
    distributed func X_1a() {}
    distributed func Deep(_ deep: Deep) -> [TemperatureReading] { [] }
    struct Deep: Codable {}
    enum Inner {
        distributed actor DeepInWords: PeripheralActor {
            typealias ActorSystem = BLEActorSystem
            distributed func readTemperature() {}
        }
    }
    fileprivate enum Private {
        distributed actor PrivateInWords: PeripheralActor {
            typealias ActorSystem = BLEActorSystem
            distributed func readTemperature() {}
        }
    }
}

struct TemperatureReading: Codable {}
