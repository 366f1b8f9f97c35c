import DemoSupport
import Testing

@Suite("The chart of heart rates")
struct HeartRateChartTests {
    private func chart(_ values: [Int?], capacity: Int = 100) -> HeartRateChart {
        var chart = HeartRateChart(capacity: capacity)
        for value in values { chart.append(value) }
        return chart
    }

    @Test("Values grow from the bottom in eighths, the newest at the right")
    func columns() {
        // The scale is 60 to 80, so a row is 10 beats and an eighth is 1.25.
        #expect(
            chart([65, 70, 75]).lines(width: 12, height: 2) == [
                " 80 ┤      ▄",
                " 60 ┤    ▄██",
            ]
        )
    }

    @Test("A gap is empty, and without values only the axis is drawn")
    func gaps() {
        #expect(chart([70, nil, 70]).lines(width: 3, height: 1) == ["▄ ▄"])
        #expect(chart([nil]).lines(width: 10, height: 2) == ["    │     ", "    │     "])
        #expect(chart([]).lines(width: 2, height: 1) == ["  "])
    }

    @Test("Five lines have a label in the middle")
    func labels() {
        let lines = chart([60, 119]).lines(width: 20, height: 5)
        #expect(
            lines.map { String($0.prefix(5)) } == ["130 ┤", "    │", " 90 ┤", "    │", " 50 ┤"]
        )
    }

    @Test("The lowest value is still seen")
    func lowest() {
        #expect(chart([0, 0]).lines(width: 2, height: 1) == ["▁▁"])
    }

    @Test("The oldest values leave when there is no room for them")
    func ring() {
        let full = chart([60, 200, 70, 80], capacity: 2)
        #expect(full.range == 70...80)
        #expect(full.lines(width: 4, height: 1) == chart([70, 80]).lines(width: 4, height: 1))
        #expect(chart([200, 70]).lines(width: 1, height: 1) == ["▄"])
        #expect(chart([nil]).range == nil)
    }

    @Test("Every line has the width that was asked for, whatever a sensor sends")
    func exactSize() {
        let values: [Int?] = [0, 65535, nil, -4, 72, .max, .min]
        for width in 0...30 {
            for height in 0...9 {
                let lines = chart(values).lines(width: width, height: height)
                #expect(lines.count == (width == 0 ? 0 : height))
                #expect(lines.allSatisfy { $0.count == width })
            }
        }
        #expect(chart(values).lines(width: -1, height: 3).isEmpty)
        #expect(chart([65535]).lines(width: 10, height: 1) == ["990 ┤    █"])
    }
}
