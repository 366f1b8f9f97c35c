import Bluejay
import BluejayAsync
import FoundationEssentials
import Glibc

/// The rows through async/await, from the pool or from the main actor, like the caller.
struct AsyncCentral {
    let job: Job
    let bluejay: Bluejay

    nonisolated(nonsending) func playOrFail() async {
        do { try await play() } catch { fail("\(error)") }
    }

    private nonisolated(nonsending) func play() async throws {
        try await bluejay.connect(World.device(1), timeout: 60)
        switch job.row {
        case "read": try await read()
        case "write": try await write(.withResponse)
        case "command": try await write(.withoutResponse)
        case "notify": try await notify()
        case "idle": try await idle()
        case "cancel": try await cancel()
        default: cannot("the row is not implemented")
        }
    }

    private nonisolated(nonsending) func read() async throws {
        var meter = Meter()
        try await bluejay.write(to: World.value, value: job.payload)
        meter.waitAndBegin(job.count)
        for _ in 0..<job.count {
            let started = meter.start()
            let data: Data = try await bluejay.read(from: World.value)
            guard data.count == job.size else { fail("read: \(data.count) bytes") }
            meter.latency(since: started)
        }
        meter.finish(job.count)
    }

    private nonisolated(nonsending) func write(_ type: WriteType) async throws {
        var meter = Meter()
        let payload = job.payload
        meter.waitAndBegin(job.count)
        for _ in 0..<job.count {
            let started = meter.start()
            try await bluejay.write(to: World.value, value: payload, type: type)
            meter.latency(since: started)
        }
        meter.finish(job.count)
    }

    private nonisolated(nonsending) func notify() async throws {
        var meter = Meter()
        var numbers = Numbers()
        let values = bluejay.values(of: World.notifier, as: Data.self)
        // Wait for the end of the setup.
        let _: Data = try await bluejay.read(from: World.control)
        meter.waitAndBegin(0)
        try await bluejay.write(to: World.control, value: job.order(job.count))
        for try await data in values {
            numbers.take(data)
            if numbers.expected == job.count { break }
        }
        meter.finish(job.count, lost: numbers.lost)
    }

    private nonisolated(nonsending) func idle() async throws {
        var meter = Meter()
        let values = bluejay.values(of: World.notifier, as: Data.self)
        let _: Data = try await bluejay.read(from: World.control)
        meter.waitAndBegin(0)
        print("idle")
        fflush(nil)
        for try await _ in values {}
    }

    /// Starts tasks that wait for one read each, and cancels them one by one.
    private nonisolated(nonsending) func cancel() async throws {
        var meter = Meter()
        let bluejay = bluejay
        let tasks = (0..<job.count).map { _ in
            Task { let _: Data = try await bluejay.read(from: World.value) }
        }
        // Nothing reports that all tasks have requested their read, so give them time.
        try await Task.sleep(for: .milliseconds(300 + job.count / 50))
        meter.waitAndBegin(0)
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        meter.finish(job.count)
    }
}
