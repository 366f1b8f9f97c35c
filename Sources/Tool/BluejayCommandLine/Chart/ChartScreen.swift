/// The heart rate on a terminal of any size.
///
/// One row stays free for the cursor, and no line reaches the last column: nothing scrolls or wraps.
package struct ChartScreen: Equatable {
    /// A line, with its style on a terminal with colours.
    package struct Line: Equatable {
        package let text: String
        package let style: Terminal.Style?

        package init(text: String, style: Terminal.Style?) {
            self.text = text
            self.style = style
        }
    }

    /// The longest time span in seconds, which are columns.
    private static let longest = 600
    /// The minimum time span for the scale, so that it stays the same when a value leaves on the left.
    private static let scaled = Duration.seconds(120)

    private let width: Int
    private let height: Int

    /// Creates a screen of this size.
    package init(columns: Int, rows: Int) {
        width = max(0, columns - 1)
        height = width > 0 ? max(0, rows - 1) : 0
    }

    /// The lines from the top: the heart rate and the name, the status, the chart, its times.
    ///
    /// A small terminal shows the heart rate first, then an unusual status.
    package func lines(_ scene: HeartRateScene, at now: Duration) -> [Line] {
        let present = scene.currentReading(at: now)
        guard height > 0 else { return [] }
        var lines = [head(present, name: scene.name)]
        if height >= 6 || !present.isCurrent, height >= 2 {
            lines.append(Line(text: scene.state.truncated(to: width), style: .dim))
        }
        let times = height >= 12 ? 2 : height >= 6 ? 1 : 0
        let rows = height - lines.count - times
        guard rows >= 2 else { return lines }
        return lines + chart(scene.history.readings, now: now, rows: rows, times: times)
    }

    private func head(_ present: HeartRateScene.CurrentReading, name: String) -> Line {
        let words = present.texts.first { $0.columns <= width } ?? ""
        let style: Terminal.Style = present.isCurrent ? .bold : .dim
        let name = name.truncated(to: max(0, width - words.columns - 2))
        let space = String(repeating: " ", count: max(0, width - words.columns - name.columns))
        return Line(text: name.isEmpty ? words : words + space + name, style: style)
    }

    private func chart(
        _ readings: [HeartRateHistory.Reading],
        now: Duration,
        rows: Int,
        times: Int
    ) -> [Line] {
        let scale = scale(readings, now: now, rows: rows)
        let margin = scale.map { max(3, String($0.upper).count) + 2 } ?? 5
        // A narrow terminal has no room for an axis.
        let hasAxis = width >= margin + 8
        let columns = min(width - (hasAxis ? margin : 0), Self.longest)
        let plot =
            scale.map { ChartPlot(readings, now: now, scale: $0, width: columns).lines }
            ?? Array(repeating: "", count: rows)
        let chart = plot.enumerated().map { index, cells in
            let label = hasAxis ? axis(scale?.label(ofRow: rows - 1 - index), margin) : ""
            return (label + cells).withoutSpacesAtEnd
        }
        let axes = hasAxis ? timeAxis(margin: margin, columns: columns).suffix(times) : []
        return (chart + axes).map { Line(text: $0, style: nil) }
    }

    /// Returns the scale of the visible readings and somewhat older ones, or of the last reading if all are
    /// older.
    private func scale(
        _ readings: [HeartRateHistory.Reading],
        now: Duration,
        rows: Int
    ) -> ChartScale? {
        let age = max(Self.scaled, .seconds(min(width, Self.longest)))
        let recent = readings.filter { now - $0.time <= age }
        let values = (recent.isEmpty ? readings.suffix(1) : recent[...]).map(\.beatsPerMinute)
        guard let lowest = values.min(), let highest = values.max() else { return nil }
        return ChartScale(lowest...highest, rows: rows)
    }

    private func axis(_ label: Int?, _ margin: Int) -> String {
        let text = label.map { "\($0) ┤" } ?? "│"
        return String(repeating: " ", count: margin - text.count) + text
    }

    /// Returns a ruler with a tick every ten seconds, and below it the age.
    private func timeAxis(margin: Int, columns: Int) -> [String] {
        var ruler = Array(repeating: Character("─"), count: columns)
        var labels = Array(repeating: Character(" "), count: margin + columns)
        func put(_ text: String, at start: Int) {
            guard start >= 0 else { return }
            labels.replaceSubrange(start..<start + text.count, with: text)
        }
        for age in stride(from: 0, to: columns, by: 10) {
            let column = columns - 1 - age
            ruler[column] = "┬"
            let text = age == 0 ? "now" : "-\(age) s"
            // The number is centred below its tick; `now` ends there.
            put(text, at: margin + column - (age == 0 ? 2 : text.count / 2))
        }
        let corner = String(repeating: " ", count: margin - 1) + "└"
        return [corner + String(ruler), String(labels)]
    }
}

extension String {
    /// The maximum number of columns on a terminal: a character outside ASCII may be two wide.
    package var columns: Int {
        reduce(0) { $0 + Self.columns($1) }
    }

    private static func columns(_ character: Character) -> Int {
        if character.isASCII { return 1 }
        // The characters of the chart.
        if "♥♡─│┤└┬●".contains(character) { return 1 }
        return character.unicodeScalars.reduce(0) { columns, scalar in
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: columns
            default: columns + (scalar.isASCII ? 1 : 2)
            }
        }
    }

    /// Returns as many characters as fit.
    package func truncated(to columns: Int) -> String {
        var room = columns
        return String(
            prefix { character in
                room -= Self.columns(character)
                return room >= 0
            }
        )
    }

    fileprivate var withoutSpacesAtEnd: String {
        String(self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)])
    }
}
