import Bluejay
import FoundationEssentials

extension Central {
    /// Fills the queue with reads, and measures their acceptance, cancellation or completion.
    func fillQueue() {
        if job.row == "queue" { meter.waitAndBegin(0) }
        for _ in 0..<job.count {
            bluejay.read(from: World.value) { [self] (_: ReadResult<Data>) in
                done += 1
                if done == job.count { meter.finish(done) }
            }
        }
        if job.row == "queue" { meter.finish(job.count) }
        meter.waitAndBegin(0)
        if job.row == "cancel" { bluejay.cancelEverything(shouldDisconnect: false) }
    }
}
