import Testing

@Suite("The schema of the JSON output", .timeLimit(.minutes(15)))
struct JSONSchemaTests {
    private static let time = #""time":"2026-11-29T12:30:15.007Z""#
    private static let device = #""address":"C4:7C:8D:6A:1F:02","name":"Box""#
    private static let attribute =
        #""service":"180F","serviceInstance":0,"characteristic":"2A19","instance":0"#

    static let valid = [
        #"{"type":"battery",\#(time),\#(device),"battery":80}"#,
        #"{"type":"value",\#(time),\#(device),\#(attribute),"value":""}"#,
        #"{"type":"value",\#(time),\#(device),\#(attribute),"value":"50","number":80,"unit":"%"}"#,
        #"{"type":"serving",\#(time),"event":"advertising"}"#,
    ]

    @Test("A valid line is accepted", arguments: valid)
    func accepted(line: String) throws {
        #expect(try JSONSchema.ofTool().problems(in: line) == [])
    }

    static let invalid = [
        ("no time", #"{"type":"battery",\#(device),"battery":80}"#),
        (
            "no milliseconds",
            #"{"type":"battery","time":"2026-11-29T12:30:15Z",\#(device),"battery":80}"#
        ),
        ("an unknown type", #"{"type":"bettery",\#(time),\#(device),"battery":80}"#),
        ("no type", #"{\#(time),\#(device),"battery":80}"#),
        ("a number as text", #"{"type":"battery",\#(time),\#(device),"battery":"80"}"#),
        ("a fraction", #"{"type":"battery",\#(time),\#(device),"battery":80.5}"#),
        ("a number out of range", #"{"type":"battery",\#(time),\#(device),"battery":101}"#),
        ("an unknown key", #"{"type":"battery",\#(time),\#(device),"battery":80,"hex":"50"}"#),
        ("no device", #"{"type":"battery",\#(time),"battery":80}"#),
        ("half a byte", #"{"type":"value",\#(time),\#(device),\#(attribute),"value":"5"}"#),
        ("no value", #"{"type":"value",\#(time),\#(device),\#(attribute)}"#),
        ("an unknown event", #"{"type":"serving",\#(time),"event":"pausing"}"#),
        (
            "a field without an object",
            #"{"type":"value",\#(time),\#(device),\#(attribute),"value":"","fields":{"a":1}}"#
        ),
        ("an array", "[]"),
    ]

    @Test("An invalid line is rejected", arguments: invalid)
    func rejected(what: String, line: String) throws {
        #expect(try JSONSchema.ofTool().problems(in: line) != [], "\(what)")
    }

    @Test("The validator rejects a schema with a keyword that it does not support")
    func unsupported() {
        let schema = #"{"$defs":{"a":{"type":"object","properties":{"b":{"format":"date"}}}}}"#
        #expect(throws: JSONSchema.Unsupported(keyword: "format")) { try JSONSchema(schema) }
    }
}
