import Testing

@testable import BluejayTool

@Suite("The plot of values", .timeLimit(.minutes(15)))
struct PlotTests {
    static let plots: [([Double], Int, String)] = [
        ([], 10, ""), ([72], 10, "72 ▁"), ([0, 7], 10, "7 ▁█"), ([1, 2, 3], 10, "3 ▁▅█"),
        ([5, 5], 10, "5 ▁▁"), ([0, 100, 50, 60], 5, "60 ▁█"), ([1.5, -2.5], 10, "-2.5 █▁"),
        ([123], 4, "123"), ([12345], 3, "12…"),
    ]

    @Test(
        "A plot shows the latest number and as many scaled blocks as fit",
        arguments: plots
    )
    func line(numbers: [Double], width: Int, expected: String) {
        var plot = Plot()
        numbers.forEach { plot.append($0) }
        let line = plot.line(width: width)
        #expect(line == expected)
        #expect(line.displayWidth <= width)
    }

    @Test("A plot of several lines has eight steps a line")
    func lines() {
        var plot = Plot()
        #expect(plot.lines(width: 9, height: 2) == [])
        [100, 0, 15, 8].forEach { plot.append($0) }
        #expect(plot.lines(width: 3, height: 2) == [" █▁", "▁██"])
        #expect(plot.range(width: 3) == 0...15)
        #expect(plot.range(width: 0) == nil)
    }
}
