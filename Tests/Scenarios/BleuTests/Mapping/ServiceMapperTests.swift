import Distributed
import FoundationEssentials
import TestSupport
import Testing

@testable import Bleu

@Suite("Mapping of actors to services")
struct ServiceMapperTests {
    @Test("The service of TemperatureSensorActor has the UUID of the specification")
    func vector() throws {
        let service = try #require(UUID(uuidString: "65BE5236-9790-5233-84DE-0D77ACF0EF5D"))
        #expect(ServiceMapper.serviceUUID(for: TemperatureSensorActor.self) == service)
        #expect(UUID.bleuNamespace.uuidString == "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    }

    @Test("The UUID of a characteristic does not depend on argument labels")
    func labels() {
        #expect(
            ServiceMapper.characteristicUUID(for: "calibrate(offset:)", in: Catalog.self)
                == ServiceMapper.characteristicUUID(for: "calibrate", in: Catalog.self)
        )
        #expect(
            ServiceMapper.characteristicUUID(for: "calibrate", in: Catalog.self)
                != ServiceMapper.characteristicUUID(for: "read", in: Catalog.self)
        )
    }

    @Test("All methods of a type are listed, also those of extensions, with or without results")
    func list() throws {
        #expect(
            ServiceMapper.methods(of: Catalog.self) == [
                "`say it (twice)`", "calibrate", "größe", "level", "maybe", "nothing", "read",
                "readInExtension", "secret", "throwing", "updates",
            ]
        )
        let description = try ServiceMapper.description(of: Catalog.self, registered: nil)
        #expect(description.typeName == "Catalog")
        #expect(description.qualifiedName == "BleuTests.Catalog")
        #expect(description.service == ServiceMapper.serviceUUID(for: Catalog.self))
        for method in description.methods {
            #expect(
                method.characteristic
                    == ServiceMapper.characteristicUUID(for: method.name, in: Catalog.self)
            )
            #expect(description.method(target: method.target ?? "") == method)
        }
    }

    @Test("A method without parameters is readable unless its result is a stream")
    func readable() throws {
        let methods = try ServiceMapper.description(of: Catalog.self, registered: nil).methods
        #expect(
            methods.filter(\.isReadable).map(\.name) == [
                "größe", "level", "maybe", "read", "readInExtension", "secret",
            ]
        )
        #expect(methods.filter(\.isStream).map(\.name) == ["throwing", "updates"])
        #expect(methods.filter { $0.parameterCount == 2 }.map(\.name) == ["calibrate"])
        #expect(methods.filter { $0.parameterCount == 1 }.map(\.name) == ["throwing"])
        #expect(
            Set(methods.filter { !$0.hasResult }.map(\.name)) == [
                "calibrate", "nothing", "`say it (twice)`",
            ]
        )
    }

    @Test("The target of a method matches the target of its calls")
    func target() throws {
        let description = try ServiceMapper.description(of: Catalog.self, registered: nil)
        let read = try #require(description.method(named: "read"))
        let target = try #require(read.target)
        #expect(RemoteCallTarget(target).description == "BleuTests.Catalog.read()")
    }

    @Test("Overloads are refused by name")
    func overloads() {
        #expect(throws: BleuRegistrationError.overloadedMethods(type: "Overloaded", methods: ["b"]))
        {
            try ServiceMapper.description(of: Overloaded.self, registered: nil)
        }
    }

    @Test("Generic types, types nested in them and generic methods are refused by name")
    func generics() {
        #expect(throws: BleuRegistrationError.genericType("Generic<Int>")) {
            try ServiceMapper.description(of: Generic<Int>.self, registered: nil)
        }
        #expect(throws: BleuRegistrationError.genericType("InGeneric")) {
            try ServiceMapper.description(of: Generic<Int>.InGeneric.self, registered: nil)
        }
        #expect(throws: BleuRegistrationError.genericType("WithGenericMethod.echo")) {
            try ServiceMapper.description(of: WithGenericMethod.self, registered: nil)
        }
    }

    @Test("A type without methods is refused, unless methods are registered")
    func noMethods() throws {
        #expect(throws: BleuRegistrationError.noMethods(type: "Empty")) {
            try ServiceMapper.description(of: Empty.self, registered: nil)
        }
        #expect(throws: BleuRegistrationError.overloadedMethods(type: "Empty", methods: ["a"])) {
            try ServiceMapper.description(of: Empty.self, registered: ["a(b:)", "a()"])
        }
        let description = try ServiceMapper.description(of: Empty.self, registered: ["b(c:)", "a"])
        #expect(description.methods.map(\.name) == ["a", "b"])
        #expect(description.methods.allSatisfy { $0.target == nil && !$0.isReadable })
    }

    @Test("The methods found in the program take precedence over registered names")
    func registered() throws {
        let description = try ServiceMapper.description(of: Catalog.self, registered: ["other"])
        #expect(description.method(named: "other") == nil)
        #expect(description.method(named: "read")?.isReadable == true)
    }

    @Test("Two types of one name in different scopes are refused by name")
    func twins() {
        let names = ["BleuTests.One.Twin", "BleuTests.Other.Twin"]
        #expect(throws: BleuRegistrationError.sameName(names[0], names[1])) {
            try ServiceMapper.description(of: One.Twin.self, registered: nil)
        }
        #expect(throws: BleuRegistrationError.sameName(names[1], names[0])) {
            try ServiceMapper.description(of: Other.Twin.self, registered: nil)
        }
    }

    @Test("A nested type has its own service and its own methods")
    func nested() throws {
        let description = try ServiceMapper.description(of: Catalog.Nested.self, registered: nil)
        #expect(description.typeName == "Nested")
        #expect(description.qualifiedName == "BleuTests.Catalog.Nested")
        #expect(description.methods.map(\.name) == ["deep"])
        #expect(ServiceMapper.methods(of: String.OfString.self) == ["length"])
    }

    @Test("A private type has its methods")
    func privateType() throws {
        let description = try ServiceMapper.description(of: Hidden.self, registered: nil)
        #expect(description.methods.map(\.name) == ["hide"])
        #expect(description.qualifiedName.hasPrefix("BleuTests.(Hidden in _"))
        #expect(ServiceMapper.methods(of: HiddenSpace.Within.self) == ["inside"])
    }

    @Test("A type declared in a function has its methods")
    func localType() throws {
        struct Value: Codable {}
        distributed actor Local: PeripheralActor {
            typealias ActorSystem = BLEActorSystem
            distributed func value() -> Value { Value() }
            distributed func take(_ value: [Value]) {}
            distributed actor InLocal: PeripheralActor {
                typealias ActorSystem = BLEActorSystem
                distributed func inner() {}
            }
        }
        let description = try ServiceMapper.description(of: Local.self, registered: nil)
        #expect(description.methods.map(\.name) == ["take", "value"])
        #expect(description.methods.map(\.hasResult) == [false, true])
        #expect(ServiceMapper.methods(of: Local.InLocal.self) == ["inner"])
    }

    @Test("A target from a peer is recognized only for this method of this type")
    func targets() throws {
        for record in MethodRecord.all where record.owner.text == "BleuTests.Words" {
            for method in [
                "readTemperature", "temperatureSensorRead2", "Temperature", "X_1a", "Deep",
            ] {
                #expect(
                    ServiceMapper.isTarget(record.target, method: method, of: Words.self)
                        == (method == record.name),
                    "\(record.target) as \(method)"
                )
            }
            #expect(!ServiceMapper.isTarget(record.target, method: record.name, of: Catalog.self))
        }
        for record in MethodRecord.all where record.owner.text != "BleuTests.Words" {
            for name in [record.name, "readTemperature", "Inner", "Private"] {
                #expect(
                    !ServiceMapper.isTarget(record.target, method: name, of: Words.self),
                    "\(record.target) as \(name)"
                )
            }
        }
        #expect(MethodRecord.all.contains { $0.owner.text.contains("Words.Inner") })
        #expect(
            MethodRecord.all.contains {
                $0.owner.text.contains("in BleuTests.Words.readTemperature")
            }
        )
    }

    @Test("Damaged targets are not recognized")
    func damagedTargets() throws {
        let name = try #require(MethodRecord.all.first { $0.name == "readTemperature" }).target
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for length in 0..<name.utf8.count {
            let cut = String(name.prefix(length))
            #expect(!ServiceMapper.isTarget(cut, method: "readTemperature", of: Words.self))
            _ = ServiceMapper.isTarget(cut + "FTE", method: "readTemperature", of: Words.self)
        }
        for _ in 0..<2_000 {
            var bytes = Array(name.utf8)
            for _ in 0..<4 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: 0x24...0x7A,
                    using: &random
                )
            }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = ServiceMapper.isTarget(text, method: "readTemperature", of: Words.self)
            #expect(
                !ServiceMapper.isTarget(text, method: "other", of: Words.self)
                    || text.contains("other"),
                "seed \(seed)"
            )
        }
    }

    @Test("A target that the program does not contain is not recognized, whatever its parameters")
    func unknownTarget() throws {
        let method = "temperatureSensorRead2"
        let target = try #require(MethodRecord.all.first { $0.name == method }).target
        let end = "ySi_tYaKFTE"
        #expect(target.hasSuffix(end))
        // The runtime expands the types of a name: here pairs of pairs of pairs of integers.
        let pairs = "ySi_Sit" + String(repeating: "_ADt", count: 40) + "YaKFTE"
        for other in ["ySb_tYaKFTE", pairs] {
            let unknown = target.dropLast(end.count) + other
            #expect(!ServiceMapper.isTarget(String(unknown), method: method, of: Words.self))
        }
    }

    @Test("A name that repeats its words has at most 4,096 characters")
    func repeatedWords() throws {
        let word = String(repeating: "x", count: 2_000)
        for (repetitions, isAccepted) in [(2, true), (3, false), (100_000, false)] {
            let letters = String(repeating: "a", count: repetitions - 1) + "A"
            var name = MangledName("2000\(word)0\(letters)0")
            #expect(name.identifier()?.count == 2_000)
            #expect(name.identifier()?.count == (isAccepted ? 2_000 * repetitions : nil))
        }
        let long = String(repeating: "x", count: 5_000)
        var name = MangledName("5000\(long)")
        #expect(name.identifier() == nil)
    }
}

private distributed actor Hidden: PeripheralActor {
    typealias ActorSystem = BLEActorSystem
    distributed func hide() -> Int { 1 }
}

private enum HiddenSpace {
    distributed actor Within: PeripheralActor {
        typealias ActorSystem = BLEActorSystem
        distributed func inside() {}
    }
}
