import Foundation
import TestSupport
import Testing

@Suite("Async forms of every call and property", .timeLimit(.minutes(15)))
struct AsyncWays {
    /// The reasons of the exceptions by name, from lines `NAME: REASON`.
    private static func exceptions() throws -> [String: String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "WithoutAsyncWay.txt")
        var exceptions: [String: String] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            guard !line.hasPrefix("#") else { continue }
            let parts = line.split(separator: ": ", maxSplits: 1)
            try #require(parts.count == 2, "no reason given: \(line)")
            exceptions[String(parts[0])] = String(parts[1])
        }
        return exceptions
    }

    /// The members of the class `Bluejay` that a module declares.
    private static func members(of module: String) async throws -> [PublicSymbol] {
        try await BuiltModules.symbols(of: module).filter {
            $0.pathComponents.count == 2 && $0.pathComponents[0] == "Bluejay"
        }
    }

    @Test("Every public member of Bluejay has an async form or a documented reason for its absence")
    func members() async throws {
        let client = try await Self.members(of: "Bluejay")
        let awaited = try await Self.members(of: "BluejayAsync")
        #expect(client.count > 40)
        let names = Set(awaited.map(\.base))
        let exceptions = try Self.exceptions()
        for member in client {
            let setter = "set" + member.base.prefix(1).uppercased() + member.base.dropFirst()
            let hasWay = member.isSettable ? names.contains(setter) : names.contains(member.base)
            if hasWay {
                #expect(exceptions[member.base] == nil, "\(member.base) has an async form")
            } else {
                #expect(
                    exceptions[member.base] != nil,
                    "\(member.pathComponents[1]) has no async form; add the reason to WithoutAsyncWay.txt"
                )
            }
        }
        let known = Set(client.map(\.base))
        for name in exceptions.keys { #expect(known.contains(name), "\(name) is unknown") }
    }
}
