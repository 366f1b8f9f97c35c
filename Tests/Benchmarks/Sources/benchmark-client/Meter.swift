import FoundationEssentials
import Glibc

/// The cost of a row: total time and processor time, and the latency of each operation.
struct Meter {
    /// Whether callgrind counts instructions; latencies are not taken then.
    private let isCounted = ProcessInfo.processInfo.environment["BENCHMARK_IS_COUNTED"] != nil
    private var latencies: [Double] = []
    private var started = 0.0
    private var startedProcessor = 0.0
    private var wall = 0.0
    private var processor = 0.0

    /// Prints `ready` and waits for a line; nothing else runs on this thread meanwhile.
    mutating func waitAndBegin(_ count: Int) {
        latencies.reserveCapacity(count)
        print("ready")
        fflush(nil)
        _ = readLine()
        begin()
    }

    mutating func begin() {
        startedProcessor = Self.processorSeconds
        started = Self.seconds
    }

    func start() -> Double { isCounted ? 0 : Self.seconds }

    mutating func latency(since start: Double) {
        if !isCounted { latencies.append(Self.seconds - start) }
    }

    mutating func end() {
        wall = Self.seconds - started
        processor = Self.processorSeconds - startedProcessor
    }

    /// Prints the line for `run`: the total in seconds, one operation in microseconds, memory in kilobytes.
    func report(_ count: Int, lost: Int = 0) {
        guard !isCounted else { return }
        var line = """
            {"count":\(count),"wall":\(wall),"cpu":\(processor),"lost":\(lost),\
            "resident":\(Self.kilobytes("VmRSS:")),"peak":\(Self.kilobytes("VmHWM:"))
            """
        let sorted = latencies.sorted()
        if let first = sorted.first {
            line += """
                ,"minimum":\(first * 1e6),"median":\(sorted[sorted.count / 2] * 1e6),\
                "p99":\(sorted[sorted.count * 99 / 100] * 1e6)
                """
        }
        print(line + "}")
        fflush(nil)
    }

    /// Ends the row and the program.
    mutating func finish(_ count: Int, lost: Int = 0) -> Never {
        end()
        report(count, lost: lost)
        exit(0)
    }

    private static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static var processorSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(0), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    private static func kilobytes(_ key: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
            ?? 0
    }
}
