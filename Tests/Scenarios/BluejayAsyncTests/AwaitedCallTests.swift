import Foundation
import TestSupport
import Testing

/// `try await` of every public call, and what the compiler says of it.
@Suite("Awaited calls", .timeLimit(.minutes(15)))
struct AwaitedCallTests {
    /// The products with calls of Bluetooth.
    private static let products = [
        "Bleu", "BleuEncryption", "Bluejay", "BluejayAsync", "BluejayGATTServer", "BluejayL2CAP",
        "GameHost", "MeshPeer", "PocketMesh",
    ]

    /// The products for tests.
    private static let testingProducts = ["BluejaySimulator", "BluejayTesting"]

    /// The reasons why a call with a completion has no awaited form of its name.
    private static let awaitedOtherwise = [
        "Bluejay.listen": "values(of:) is the stream",
        "Bluejay.run": "run(backgroundTask:) is the async form and requires a @Sendable task",
        "GATTServer.notify": "notifyAndWait(_:on:to:) is the async form",
        "ScanAction.connect": "creates a value only",
    ]

    /// The reasons why the plain form of a call is right at the top level, where it needs no `await`.
    private static let plainAtTopLevel = [
        "Bluejay.start": "cannot fail, and later calls wait for it",
        "Bluejay.stopScanning": "cannot fail, and later calls wait for it",
        "Bluejay.setPairingHandler": "cannot fail, and later calls wait for it",
        "Bluejay.stopAndExtractBluetoothState": "the plain form waits, too",
        "Bluejay.isListening": "the plain form throws, too",
        "Bluejay.maximumWriteValueLength": "the plain form throws, too",
        "Bluejay.peripheralDetails": "the plain form throws, too",
        "Bluejay.mtu": "the plain form throws, too",
        "L2CAPListener.close": "cannot fail",
    ]

    private static let imports =
        (products + ["Distributed", "Foundation"]).map { "import \($0)\n" }.joined()
    private static let values = """
        func value<T>() -> T { fatalError() }
        distributed actor Lamp: PeripheralActor { typealias ActorSystem = BLEActorSystem }

        """

    private struct Call {
        let name: String
        let code: String
        /// The errors and warnings of the compiler.
        var diagnostics: [String] = []
    }

    private static func symbols() async throws -> [PublicSymbol] {
        var symbols: [PublicSymbol] = []
        for product in products { symbols += try await BuiltModules.symbols(of: product) }
        return symbols
    }

    /// Returns calls of every function that is asynchronous or has a completion.
    private static func calls() async throws -> [Call] {
        let symbols = try await symbols()
        let protocols = Set(
            symbols.filter { $0.kind.identifier == "swift.protocol" }
                .map { $0.pathComponents.joined(separator: ".") }
        )
        let functions = symbols.compactMap(PublicFunction.init).filter(isAwaited)
        var known: Set<String> = []
        let calls = functions.flatMap { function in
            function.calls(protocols: protocols).filter { known.insert($0).inserted }
                .map { Call(name: function.name, code: $0) }
        }
        // Its plain form takes no asynchronous handler, so that a literal selects the form.
        let removal = Call(
            name: "Bluejay.setPairingHandler",
            code: "_ = await (value() as Bluejay).setPairingHandler(nil)"
        )
        return calls + [removal]
    }

    /// Whether a task calls a function, and the call ends later.
    private static func isAwaited(_ function: PublicFunction) -> Bool {
        let owners = function.symbol.pathComponents.dropLast()
        // `for await` calls an iterator, and the calls of a SynchronizedPeripheral block their thread.
        guard owners.last != "Iterator", owners.first != "SynchronizedPeripheral",
            !function.symbol.isDeprecated
        else { return false }
        return function.isAsync
            || function.completion != nil && awaitedOtherwise[function.name] == nil
    }

    /// Returns the calls, written between two lines of a file, with the diagnostics of each.
    private static func checkedCalls(
        in name: String,
        from start: String = "",
        to end: String = "",
        languageMode: Int,
        line: (String) -> String = { $0 }
    ) async throws -> [Call] {
        var calls = try await calls()
        let lines = calls.map { line($0.code) + "\n" }.joined()
        let diagnostics = try await BuiltModules.diagnostics(
            of: ["Values.swift": imports + values, name: imports + start + lines + end],
            in: name,
            languageMode: languageMode
        )
        let first = (imports + start).count { $0 == "\n" } + 1
        let others = diagnostics.filter { !(first..<first + calls.count).contains($0.key) }
        #expect(others.isEmpty)
        for index in calls.indices { calls[index].diagnostics = diagnostics[first + index] ?? [] }
        return calls
    }

    @Test("Swift accepts each awaited call in a function without a warning", arguments: [5, 6])
    func inFunction(languageMode: Int) async throws {
        let calls = try await Self.checkedCalls(
            in: "Calls.swift",
            from: "func calls() async throws {\n",
            to: "}\n",
            languageMode: languageMode
        )
        #expect(calls.count > 110)
        for call in calls { #expect(call.diagnostics.isEmpty, "\(call.code)") }
    }

    @Test(
        "At the top level, Swift awaits each call or names the alternative",
        arguments: [5, 6]
    )
    func atTopLevel(languageMode: Int) async throws {
        var plain: Set<String> = []
        for call in try await Self.checkedCalls(in: "main.swift", languageMode: languageMode) {
            guard let first = call.diagnostics.first else { continue }
            if Self.plainAtTopLevel[call.name] != nil {
                plain.insert(call.name)
                let warning = "no 'async' operations occur within 'await' expression"
                #expect(call.diagnostics == [warning], "\(call.code)")
            } else {
                #expect(
                    first.contains("is unavailable from asynchronous contexts; "),
                    "\(call.code)"
                )
                #expect(first.contains(" in a function"), "\(call.code)")
            }
        }
        #expect(plain == Set(Self.plainAtTopLevel.keys))
    }

    @Test("In a closure at the top level, Swift awaits each call", arguments: [5, 6])
    func inClosure(languageMode: Int) async throws {
        let calls = try await Self.checkedCalls(in: "main.swift", languageMode: languageMode) {
            ($0.contains("try ") ? "try " : "") + "await { \($0) }()"
        }
        for call in calls { #expect(call.diagnostics.isEmpty, "\(call.code)") }
    }

    @Test("Only SynchronizedPeripheral.endListen, which throws, has a default completion")
    func defaults() async throws {
        let functions = try await Self.symbols().compactMap(PublicFunction.init)
        #expect(functions.count > 300)
        let names = functions.filter { $0.completion?.hasDefault == true }.map(\.name)
        #expect(names == ["SynchronizedPeripheral.endListen"])
    }

    @Test("Every product is among those whose calls are awaited")
    func allProducts() throws {
        let manifest = try String(contentsOf: repositoryFile("Package.swift"), encoding: .utf8)
        let list = try #require(manifest.firstMatch(of: #/\n    products: \[(?<names>[^\]]*)\]/#))
        let products = list.names.matches(of: #/"(?<name>\w+)"/#).map { String($0.name) }
        #expect(Set(products) == Set(Self.products + Self.testingProducts))
    }
}
