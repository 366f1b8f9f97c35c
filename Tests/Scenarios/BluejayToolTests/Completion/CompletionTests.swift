import Bluejay
import BluejayCore
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@testable import BluejayTool

@Suite("Completion of bluejay", .timeLimit(.minutes(15)))
struct CompletionTests {
    private static let lamp = device("Lamp", "C0:00:00:00:00:01")

    static let names: [(String, String)] = [
        ("Lamp 1_a-b.c+d", "Lamp 1_a-b.c+d"), ("温度計", "温度計"), ("$(x)", "address"),
        ("a;b", "address"), ("a'b", "address"), ("-rf", "address"), ("a:b", "address"),
        ("~root", "address"), ("a\tb", "address"), ("a\nb", "address"), (" a", "address"),
        ("a ", "address"), ("", "address"), ("\u{1B}[2J", "address"), ("C0000000000A", "address"),
    ]

    @Test("A name is offered if it is safe, and otherwise the address", arguments: names)
    func safeName(name: String, offered: String) {
        let address = "C0-00-00-00-00-01"
        let text = offered == "address" ? address : offered
        #expect(CompletionCandidate.devices([device(name)]).map(\.text) == [text])
    }

    @Test("Devices with the same name are offered as addresses")
    func sharedName() {
        let candidates = CompletionCandidate.devices([
            Self.lamp, device("Lamp", "C0:00:00:00:00:02"), device("Bulb", "C0:00:00:00:00:03"),
        ])
        #expect(candidates.map(\.text) == ["C0-00-00-00-00-01", "C0-00-00-00-00-02", "Bulb"])
    }

    @Test("A typed UUID or address is continued in the typed case, unless a name fits")
    func alternatives() {
        let candidates = [
            CompletionCandidate(text: "battery-level", alternative: "2A19"),
            CompletionCandidate(text: "Heart Rate Sensor", alternative: "C4-7C-8D-6A-1F-02"),
        ]
        let texts = { CompletionCandidate.texts(candidates, for: $0) }
        #expect(texts("") == ["battery-level", "Heart Rate Sensor"])
        #expect(texts("b") == ["battery-level"])
        #expect(texts("2a") == ["2a19"])
        #expect(texts("c4-") == ["c4-7C-8D-6A-1F-02"])
        #expect(texts("Heart\\ R") == ["Heart Rate Sensor"])
        #expect(texts("\"Heart R") == ["Heart Rate Sensor"])
        #expect(texts("x") == [])
    }

    private func cache(_ home: URL) -> AttributeCache {
        AttributeCache(environment: ["XDG_STATE_HOME": home.path])
    }

    @Test("Each stored reference selects its characteristic again, also among instances")
    func references() throws {
        let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: home) }
        cache(home).save(keyboard, of: Self.lamp)
        let content = try #require(cache(home).content(of: Self.lamp))
        let all = keyboard.flatMap(\.characteristics)
        #expect(content.characteristics.count == all.count)
        for (stored, characteristic) in zip(content.characteristics, all) {
            for text in [stored.name, stored.uuid] {
                #expect(try CharacteristicReference(text).choose(from: keyboard) == characteristic)
            }
        }
        #expect(content.characteristics.map(\.name).contains("hid-information"))
        #expect(content.services.first == "battery")
    }

    @Test("The cache is private, belongs to one device, and is removed with it")
    func privacy() throws {
        let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: home) }
        let file = home.appending(path: "bluejay/attributes")
        let last = LastDevice(environment: ["XDG_STATE_HOME": home.path])
        last.save(Self.lamp)
        cache(home).save(keyboard, of: Self.lamp)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(cache(home).content(of: device("Bulb", "C0:00:00:00:00:02")) == nil)
        last.forget(Self.lamp)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try Data("foreign content".utf8).write(to: file)
        #expect(cache(home).content(of: Self.lamp) == nil)
    }

    private func complete(_ stage: ToolStage, _ words: String...) async throws -> Outcome {
        let index = words.count
        let program = try await stage.begin(
            [
                "---completion", words[0], "--", "positional@\(index - 2)", "\(index)", "0",
                "bluejay",
            ]
                + words
        )
        try await wait { program.status != nil }
        return Outcome(program.lines, program.status ?? -1)
    }

    @Test("A subcommand offers the characteristics that support it, without a scan or connection")
    func subcommands() async throws {
        try await ToolStage.play { stage in
            #expect(try await complete(stage, "read", "") == Outcome([]))
            #expect(try await stage.run("services", "Heart Rate Sensor").status == 0)
            // A scan or a connection would fail and print its error.
            await stage.system.perform { world in
                for method in ["StartDiscovery", "Connect"] {
                    world.apply(.callsRefused(method, name: "org.bluez.Error.Failed", text: "no"))
                }
            }
            let first = try await complete(stage, "listen", "")
            #expect(
                first
                    == Outcome(["Heart Rate Sensor", "service-changed", "heart-rate-measurement"])
            )
            #expect(
                try await complete(stage, "write", "-", "")
                    == Outcome(["client-supported-features", "heart-rate-control-point"])
            )
            #expect(try await complete(stage, "write", "Other", "") == Outcome([]))
            let adapters = try await stage.run("adapters", "--json").lines
            #expect(adapters.allSatisfy { $0.contains("\"discovering\":false") })
            #expect(await !stage.isConnected())
        }
    }

    @Test("A bluetoothd that does not respond delays completion by less than a second")
    func frozen() async throws {
        try await ToolStage.play { stage in
            #expect(try await stage.run("services", "Heart Rate Sensor").status == 0)
            await stage.system.perform { $0.apply(.daemonFrozen(for: .seconds(100))) }
            let start = ContinuousClock.now
            let outcome = try await complete(stage, "info", "")
            #expect(outcome == Outcome(["Heart Rate Sensor"]))
            // The rest is for the start of the program on a busy machine.
            #expect(ContinuousClock.now - start < .seconds(3))
        }
    }
}
