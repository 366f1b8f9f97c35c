import BluejayGLib
import Foundation
import Testing

@testable import BluejayExplainer

/// Tests `PerfettoTrace` and `TrackLanes`.
@Suite("The trace file", .timeLimit(.minutes(15)))
struct PerfettoTraceTests {
    @Test("Each event has the members of the format, and bars of a track only nest")
    func format() throws {
        var script = EventScript.connected()
        script.add(105, .enqueued(operation: "1", name: "read of 2A19"))
        script.add(130, .started(operation: "1"))
        let read = script.call(130, "GattCharacteristic1.ReadValue", EventScript.level)
        let start = script.call(135, "GattCharacteristic1.StartNotify", EventScript.level)
        script.reply(140, start)
        script.reply(150, read)
        script.add(151, .completed(operation: "1", error: nil))
        script.add(160, .advertised(path: EventScript.lamp))
        script.change(170, EventScript.lamp, ["Device1.Connected": "true"])
        let other = script.call(180, "Device1.Connect", EventScript.lamp, by: ":1.20")
        script.reply(190, other, "Page Timeout")
        let trace = PerfettoTrace(script.timeline(until: 200), of: "bluejay read")
        let file = try TraceFile(try trace.json())
        #expect(file.problems == [])
        #expect(
            file.tracks == [
                "bluejay read/failures", "bluejay read/queue",
                "bluejay read/bluetoothd", "bluejay read/Sensor (C0:00:00:00:00:01)",
                "bluejay read/Sensor (C0:00:00:00:00:01) (2)", "bluetoothd/signals",
                "bluetoothd/changes by other programs", "program :1.20/calls to bluetoothd",
            ]
        )
        #expect(
            file.bars.contains(
                TraceFile.Bar(
                    track: "bluejay read/Sensor (C0:00:00:00:00:01)",
                    name: "connect to Sensor",
                    start: 30_000,
                    end: 60_000
                )
            )
        )
    }

    @Test("A bar gets the first lane in which it nests")
    func lanes() {
        var lanes = TrackLanes()
        let bars = [(0, 10), (2, 5), (4, 8), (5, 10), (9, 12), (10, 11)]
        #expect(bars.map { lanes.lane(from: $0.0, to: $0.1) } == [0, 0, 1, 0, 1, 0])
    }

    @Test("Bars from random times only nest in their lanes")
    func randomLanes() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let bars = (0..<500).map { _ in
            let start = Int.random(in: 0...1_000, using: &generator)
            return (start, start + Int.random(in: 0...100, using: &generator))
        }.sorted { ($0.0, -$0.1) < ($1.0, -$1.1) }
        var lanes = TrackLanes()
        var placed: [Int: [(Int, Int)]] = [:]
        for bar in bars { placed[lanes.lane(from: bar.0, to: bar.1), default: []].append(bar) }
        for (lane, bars) in placed {
            #expect(TraceFile.areNested(bars), "lane \(lane), seed \(seed)")
        }
    }

    @Test("The check finds a bar that overlaps another one")
    func sensitivity() {
        #expect(TraceFile.areNested([(0, 10), (2, 5), (5, 10), (10, 12)]))
        #expect(!TraceFile.areNested([(0, 10), (2, 11)]))
    }
}

private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    // SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
