import Testing

@testable import BluejayTool

@Suite("The progress bar")
struct ProgressBarTests {
    @Test("A wide bar has forty columns, followed by percentage and bytes")
    func wide() {
        let bar = ProgressBar(total: 1300)
        let empty = String(repeating: "░", count: 40)
        #expect(bar.line(0, width: 79) == empty + "    0 %     0 of 1300 bytes")
        #expect(
            bar.line(650, width: 79)
                == String(repeating: "█", count: 20) + empty.dropLast(20)
                + "   50 %   650 of 1300 bytes"
        )
        #expect(
            bar.line(1300, width: 79)
                == String(repeating: "█", count: 40) + "  100 %  1300 of 1300 bytes"
        )
    }

    @Test(
        "All bars of one width have the same length and fit",
        arguments: [1, 20, 25, 26, 31, 39, 79, 200]
    )
    func fits(width: Int) {
        let bar = ProgressBar(total: 4096)
        let lengths = Set((0...8).map { bar.line($0 * 512, width: width).count })
        #expect(lengths.count == 1)
        #expect(lengths.allSatisfy { $0 <= width })
    }

    @Test("A width without five columns for the bar shows only the numbers")
    func narrow() {
        let bar = ProgressBar(total: 1300)
        #expect(bar.line(512, width: 31) == " 39 %   512 of 1300 bytes")
        #expect(bar.line(512, width: 32) == "█░░░░   39 %   512 of 1300 bytes")
    }

    @Test("An empty transfer is 100 % complete")
    func nothing() {
        #expect(ProgressBar(total: 0).line(0, width: 20) == "100 %  0 of 0 bytes")
    }
}
