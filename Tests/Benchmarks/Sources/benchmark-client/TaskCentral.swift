import Bluejay
import FoundationEssentials

/// The rows in a background task.
final class TaskCentral {
    private let job: Job
    private let bluejay = Bluejay(adapter: World.adapter)

    init(_ job: Job) {
        guard ["read", "write", "command"].contains(job.row) else {
            cannot("the row is not implemented")
        }
        self.job = job
    }

    func start() {
        bluejay.start()
        bluejay.connect(World.device(1), timeout: 60) { [self] result in
            guard case .success = result else { fail("connect: \(result)") }
            let job = job
            bluejay.run { (peripheral: SynchronizedPeripheral) throws -> Void in
                try Self.play(job, peripheral)
            } completionOnMainThread: { result in
                if case .failure(let error) = result { fail("\(error)") }
            }
        }
    }

    private static func play(_ job: Job, _ peripheral: SynchronizedPeripheral) throws {
        var meter = Meter()
        let payload = job.payload
        try peripheral.write(to: World.value, value: payload)
        meter.waitAndBegin(job.count)
        for _ in 0..<job.count {
            let started = meter.start()
            switch job.row {
            case "read":
                let data: Data = try peripheral.read(from: World.value)
                guard data.count == job.size else { fail("read: \(data.count) bytes") }
            case "write": try peripheral.write(to: World.value, value: payload)
            default:
                try peripheral.write(to: World.value, value: payload, type: .withoutResponse)
            }
            meter.latency(since: started)
        }
        meter.finish(job.count)
    }
}
