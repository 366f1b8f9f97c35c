import Testing

@testable import BluejayTool

@Suite("The service tree", .timeLimit(.minutes(15)))
struct ServiceTreeTests {
    @Test("The tree shows services, characteristics and descriptors with names and properties")
    func wide() {
        #expect(
            ServiceTree(keyboard).lines(width: 79) == [
                "180F Battery",
                "└─ 2A19 Battery Level  read, notify",
                "   └─ 2902 Client Characteristic Configuration",
                "180F#1 Battery  secondary",
                "└─ 2A19 Battery Level  read",
                "1812 Human Interface Device",
                "├─ 2A4D Report  read",
                "├─ 2A4D#1 Report  read",
                "│  ├─ 2902 Client Characteristic Configuration",
                "│  └─ 2908 Report Reference",
                "└─ 2A4A HID Information  read",
                "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
                "└─ 6E400002-B5A3-F393-E0A9-E50E24DCCA9E  write-without-response, write",
            ]
        )
    }

    @Test("A narrow tree truncates names before properties and never wraps")
    func narrow() {
        let lines = ServiceTree(keyboard).lines(width: 39)
        #expect(lines.allSatisfy { $0.displayWidth <= 39 })
        #expect(lines[1] == "└─ 2A19 Battery Level  read, notify")
        #expect(lines[2] == "   └─ 2902 Client Characteristic Confi…")
        #expect(lines[12] == "└─ 6E400002-B5A3-F393-E0A9-E50E24DCCA9…")
        #expect(ServiceTree(keyboard).lines(width: 30)[1] == "└─ 2A19 Battery…  read, notify")
    }
}
