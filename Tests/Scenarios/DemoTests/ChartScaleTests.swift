import BluejayCommandLine
import TestSupport
import Testing

@Suite("The scale of the chart", .timeLimit(.minutes(15)))
struct ChartScaleTests {
    @Test("Each row has a round number, and every value fits the scale", arguments: 2...60)
    func values(rows: Int) {
        var random = SeededGenerator(seed: UInt64(rows))
        for most in [5, 250, 65_535] {
            for _ in 0..<200 {
                let one = Int.random(in: 0...most, using: &random)
                let other = Int.random(in: 0...most, using: &random)
                let scale = ChartScale(min(one, other)...max(one, other), rows: rows)
                var leading = scale.step
                while leading.isMultiple(of: 10) { leading /= 10 }
                #expect([1, 2, 5].contains(leading))
                #expect(scale.lower.isMultiple(of: max(10, scale.step)))
                #expect(scale.upper - scale.lower >= 20)
                for value in [one, other] {
                    #expect(value >= scale.lower && value < scale.upper)
                    let shown = scale.lower + scale.row(of: value) * scale.step
                    #expect(abs(shown - value) * 2 <= scale.step)
                }
                #expect((0..<rows).compactMap { scale.label(ofRow: $0) }.count >= 2)
            }
        }
    }

    @Test("Small changes keep the scale, and larger changes extend it to round numbers")
    func calm() {
        let scales = (80...89).map { ChartScale(61...$0, rows: 10) }
        #expect(scales.allSatisfy { $0 == scales[0] })
        #expect([scales[0].lower, scales[0].step, scales[0].upper] == [60, 5, 105])
        let more = ChartScale(61...119, rows: 10)
        #expect([more.lower, more.step, more.upper] == [50, 10, 140])
    }

    @Test("Surplus rows extend the scale at both ends")
    func spare() {
        let scale = ChartScale(72...74, rows: 21)
        #expect([scale.lower, scale.step, scale.upper] == [70, 1, 90])
        let wide = ChartScale(72...74, rows: 41)
        #expect([wide.lower, wide.step, wide.upper] == [60, 1, 100])
    }
}
