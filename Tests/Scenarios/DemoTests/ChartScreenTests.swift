import BluejayCommandLine
import TestTraits
import Testing

@Suite("The chart on a terminal", .timeLimit(.minutes(15)))
struct ChartScreenTests {
    /// A heart rate each second, ten seconds without a link, then one every 2.5 seconds.
    static let scene: HeartRateScene = {
        var scene = HeartRateScene()
        scene.connected(to: "Bluejay Heart")
        scene.setState("connected to Bluejay Heart (00:AA:01:01:00:01)")
        for second in 0..<40 { scene.received(72 + second / 2, at: .seconds(second)) }
        scene.disconnected(at: .seconds(40))
        scene.connected(to: "Bluejay Heart")
        for (index, rate) in [85, 80, 76, 73, 73, 75].enumerated() {
            scene.received(rate, at: .milliseconds(50_000 + index * 2500))
        }
        return scene
    }()

    private func picture(
        _ columns: Int,
        _ rows: Int,
        _ scene: HeartRateScene = scene,
        at now: Duration = .seconds(64)
    ) -> [String] {
        ChartScreen(columns: columns, rows: rows).lines(scene, at: now).map(\.text)
    }

    @Test("Each chart matches its stored picture", arguments: ChartPicture.all)
    func pictures(picture: ChartPicture) {
        let lines = self.picture(picture.columns, picture.rows)
        #expect(lines.joined(separator: "\n") == picture.text)
    }

    @Test("The chart fits every size of the terminal", .computing, arguments: 0...45)
    func fits(rows: Int) {
        var lost = Self.scene
        lost.connected(to: "心拍センサー\u{1B}[2J and a very long name that goes on and on and on")
        lost.received(65_535, at: .seconds(63))
        lost.disconnected(at: .seconds(64))
        for columns in 0...130 {
            for scene in [Self.scene, lost, HeartRateScene()] {
                let lines = picture(columns, rows, scene, at: .seconds(90))
                #expect(lines.count <= max(rows - 1, 0), "\(columns) columns")
                // The characters of the chart line are one column wide.
                let plain = lines.enumerated().map { $0 < 2 ? $1.columns : $1.count }
                #expect(plain.allSatisfy { $0 <= max(columns - 1, 0) }, "\(columns) columns")
            }
        }
    }

    @Test("A column represents one second, also for irregular readings")
    func time() throws {
        var scene = HeartRateScene()
        for second in [0, 20, 21, 30] { scene.received(70, at: .seconds(second)) }
        let lines = picture(60, 15, scene, at: .seconds(30))
        let line = try #require(lines.first { $0.hasSuffix("●") })
        let plot = Array(line.dropFirst(5))
        #expect(plot.count == 54)
        let columns = plot.indices.filter { plot[$0] != " " }
        #expect(columns.map { 53 - $0 } == [30, 10, 9, 0])
        #expect(lines.suffix(2).map { Array($0)[5 + 53 - 30] } == ["┬", "0"])
    }

    @Test("A silent sensor is marked after five seconds, and a lost link immediately")
    func stale() {
        var scene = HeartRateScene()
        #expect(scene.currentReading(at: .seconds(1)) == .unknown)
        scene.disconnected(at: .seconds(1))
        #expect(scene.currentReading(at: .seconds(2)) == .unknown)
        scene.connected(to: "Heart")
        #expect(scene.currentReading(at: .seconds(2)) == .unknown)
        scene.received(72, at: .seconds(2))
        #expect(scene.currentReading(at: .milliseconds(6999)) == .current(72))
        #expect(scene.currentReading(at: .seconds(7)) == .stale(72, .seconds(5)))
        scene.disconnected(at: .seconds(8))
        scene.disconnected(at: .seconds(9))
        #expect(scene.currentReading(at: .seconds(11)) == .disconnected(.seconds(3), last: 72))
        scene.connected(to: "Heart")
        #expect(scene.currentReading(at: .seconds(12)) == .stale(72, .seconds(10)))
        scene.received(75, at: .seconds(12))
        #expect(scene.currentReading(at: .seconds(12)) == .current(75))
    }

    @Test("A current heart rate is bold; an older one is dim and shows its age")
    func heads() {
        func head(_ columns: Int, _ scene: HeartRateScene, at now: Duration) -> ChartScreen.Line? {
            ChartScreen(columns: columns, rows: 24).lines(scene, at: now).first
        }
        func line(_ text: String, _ style: Terminal.Style) -> ChartScreen.Line {
            ChartScreen.Line(text: text, style: style)
        }
        var scene = Self.scene
        #expect(head(30, scene, at: .seconds(63)) == line("♥ 75 beats a minute  Bluejay ", .bold))
        #expect(head(10, scene, at: .seconds(63)) == line("♥ 75  Blu", .bold))
        let silent = "♡ no heart rate for 20 s; the last was 75"
        #expect(head(42, scene, at: .milliseconds(82_500)) == line(silent, .dim))
        #expect(
            head(41, scene, at: .milliseconds(82_500))?.text.hasPrefix("♡ 75, 20 s ago ") == true
        )
        #expect(head(12, scene, at: .seconds(500))?.text == "♡ 7 min ago")
        scene.disconnected(at: .seconds(63))
        let lost = "♡ disconnected for 2 min; the last was 75"
        #expect(head(42, scene, at: .seconds(200)) == line(lost, .dim))
        #expect(head(24, scene, at: .seconds(200))?.text.hasPrefix("♡ disconnected ") == true)
        #expect(head(80, HeartRateScene(), at: .zero) == line("♡ no heart rate yet", .dim))
    }

    @Test("Names contain no escape sequences, and wide characters count as two columns")
    func names() {
        var scene = HeartRateScene()
        scene.connected(to: "a\u{1B}[2Jb")
        #expect(picture(40, 3, scene)[0].hasSuffix(" a�[2Jb"))
        #expect("心拍é".columns == 6)
        #expect("e\u{301}".columns == 1)
        #expect("心拍センサー".truncated(to: 7) == "心拍セ")
    }

    @Test("Readings older than ten minutes are discarded")
    func memory() {
        var history = HeartRateHistory()
        for second in 0...700 { history.append(70, at: .seconds(second)) }
        #expect(history.readings.first?.time == .seconds(100))
        #expect(history.readings.count == 601)
        history.append(-5, at: .seconds(2000))
        history.append(.max, at: .seconds(1000))
        #expect(history.readings.map(\.beatsPerMinute) == [0, 65_535])
        #expect(history.readings.map(\.time) == [.seconds(2000), .seconds(2000)])
        #expect(history.readings.map(\.connectsToPrevious) == [false, true])
    }
}
