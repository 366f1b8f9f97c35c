import Testing

@testable import BluejayTool

@Suite("A bar of progress")
struct ProgressBarTests {
    @Test("It has forty columns where there is room, and numbers behind it")
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

    @Test("It fits, and each covers the one before", arguments: [1, 20, 25, 26, 31, 39, 79, 200])
    func fits(width: Int) {
        let bar = ProgressBar(total: 4096)
        let lengths = Set((0...8).map { bar.line($0 * 512, width: width).count })
        #expect(lengths.count == 1)
        #expect(lengths.allSatisfy { $0 <= width })
    }

    @Test("Without room for five columns of it there are the numbers alone")
    func narrow() {
        let bar = ProgressBar(total: 1300)
        #expect(bar.line(512, width: 31) == " 39 %   512 of 1300 bytes")
        #expect(bar.line(512, width: 32) == "█░░░░   39 %   512 of 1300 bytes")
    }

    @Test("Nothing to do is done")
    func nothing() {
        #expect(ProgressBar(total: 0).line(0, width: 20) == "100 %  0 of 0 bytes")
    }
}
