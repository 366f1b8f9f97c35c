import BluejayDeviceFile

/// The source of the tests, which connect the client to the twin.
struct ClientTestSource {
    let device: GeneratedDevice

    var lines: [String] {
        ["BluejayTesting", "Foundation", "Testing", device.typeName].sorted().map { "import \($0)" }
            + ["", "/// Connects the client to the simulated device."] + suite + [
                "struct \(device.testName) {"
            ] + [connects, reads, receives, writes].filter { !$0.isEmpty }.joined(separator: [""])
            + ["}"] + helper
    }

    private var usesDecoding: Bool { !(reads + receives + writes).isEmpty }

    private var suite: [String] {
        let twin = "\(device.twinName).makeDevice()"
        let isSecured = device.characteristics.flatMap(\.file.properties).contains {
            $0.hasPrefix("encrypt-") || $0.hasPrefix("secure-")
        }
        let head = "@Suite(\"\(device.typeName)\", .timeLimit(.minutes(5)), "
        let line = head + ".simulatedBlueZ { $0.add(\(twin)) })"
        if !isSecured, line.count <= SwiftExpression.width { return [line] }
        let preparation =
            isSecured
            ? [
                "    .simulatedBlueZ { blueZ in", "        blueZ.userAgreesToPairing = true",
                "        blueZ.add(\(twin))", "    }",
            ] : ["    .simulatedBlueZ { $0.add(\(twin)) }"]
        return ["@Suite(", "    \"\(device.typeName)\",", "    .timeLimit(.minutes(5)),"]
            + preparation + [")"]
    }

    private var connects: [String] {
        test("The client connects to the device and disconnects", "connects") {
            ["        #expect(client.bluejay.isConnected)"]
        }
    }

    private var reads: [String] {
        let all = device.members.filter(\.hasValue)
        guard !all.isEmpty else { return [] }
        return test("The client reads each recorded value", "reads") {
            all.flatMap { Self.expectation("client.\($0.name)()", "Recorded.\($0.name)") }
        }
    }

    private var receives: [String] {
        let all = device.members.filter(\.hasNotification)
        guard !all.isEmpty else { return [] }
        return test("The client receives the first recorded notification", "receives") {
            all.flatMap {
                Self.expectation(
                    "client.\($0.plural).first { _ in true }",
                    "Recorded.\($0.plural)[0].value"
                )
            }
        }
    }

    private var writes: [String] {
        let all = device.members.filter(\.isWritable)
        guard !all.isEmpty else { return [] }
        let values = all.map { one in
            let sample = one.type.written.sample(one.file.value)
            return sample == one.file.value
                ? .text("Recorded.\(one.name)") : SwiftText.bytes(sample)
        }
        return test("The device receives each written value", "writes") {
            zip(all, values).flatMap { one, value in
                SwiftExpression.call("", (nil, .call("decoded", (nil, value))))
                    .lines("try await client.\(one.setter)", at: 8)
            } + [
                // A write without response arrives later.
                "        try await TestWorld.current.clock.sleep(for: .seconds(1))",
                "        let written = try TestWorld.current.perform { blueZ in",
                "            blueZ.device(\(device.twinName).address)?.writes.map(\\.value)",
                "        }",
            ] + SwiftExpression.array(values).lines("let expected: [[UInt8]] = ", at: 8) + [
                "        #expect(written == expected)"
            ]
        }
    }

    private func test(_ name: String, _ function: String, _ body: () -> [String]) -> [String] {
        let client = SwiftExpression.call(
            "\(device.typeName).connect",
            ("with", .text("TestWorld.current.makeBluejay()"))
        )
        return ["    @Test(\"\(name)\")", "    func \(function)() async throws {"]
            + client.lines("let client = try await ", at: 8) + body() + [
                "        try await client.disconnect()", "    }",
            ]
    }

    private static func expectation(_ call: String, _ value: String) -> [String] {
        let whole = "try await \(call) == decoded(\(value))"
        let line = "        #expect(\(whole))"
        if line.count <= SwiftExpression.width { return [line] }
        let inner =
            12 + whole.count <= SwiftExpression.width
            ? ["            \(whole)"]
            : ["            try await \(call)", "                == decoded(\(value))"]
        return ["        #expect("] + inner + ["        )"]
    }

    private var helper: [String] {
        guard usesDecoding else { return [] }
        let recorded = device.characteristics.contains {
            $0.file.value != nil || !$0.notifications.isEmpty
        }
        return [
            ""
        ] + (recorded ? ["private typealias Recorded = \(device.twinName).Recorded", ""] : []) + [
            "/// Decodes a value of the device.",
            "private func decoded<Value: Receivable>(_ bytes: [UInt8]) throws -> Value {",
            "    try Value(bluetoothData: Data(bytes))", "}",
        ]
    }
}
