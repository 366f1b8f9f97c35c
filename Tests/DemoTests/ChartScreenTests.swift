import DemoSupport
import Testing

@Suite("The chart on a terminal")
struct ChartScreenTests {
    private let chart: HeartRateChart = {
        var chart = HeartRateChart(capacity: ChartScreen.capacity)
        for value in 0..<100 { chart.append(60 + value % 7) }
        return chart
    }()

    @Test("On a terminal of any size nothing wraps, and nothing scrolls away", arguments: 0...40)
    func fits(rows: Int) {
        for columns in 0...120 {
            let screen = ChartScreen(columns: columns, rows: rows)
            let lines = screen.lines(
                head: "♥ 64 beats a minute",
                state: "connected to 心拍センサー and listening",
                chart
            )
            #expect(lines.count < max(rows, 1), "\(columns) columns")
            for line in lines { #expect(line.count < max(columns, 1), "\(columns) columns") }
        }
    }

    @Test("A large terminal has the head, the state and a chart of 72 columns in 12 rows")
    func large() {
        let screen = ChartScreen(columns: 200, rows: 60)
        let lines = screen.lines(head: "♥ 64", state: "connected", chart)
        #expect(lines.prefix(2) == ["♥ 64", "connected"])
        #expect(lines.dropFirst(2).map(\.count) == Array(repeating: 72, count: 12))
    }

    @Test("What may be two columns wide counts as two")
    func wide() {
        let screen = ChartScreen(columns: 8, rows: 3)
        #expect(screen.lines(head: "心拍センサー", state: "abcdefghij", chart) == ["心拍セ", "abcdefg"])
    }
}
