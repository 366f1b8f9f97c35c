import Bluejay
import BluejayAsync
import Foundation

/// Runs a thousand threads, one after the other, each with its own loop and instance; then ten threads with
/// one instance.
@main
struct ManyThreads {
    static func main() async throws {
        var available = 0
        for _ in 0..<1000 {
            let bluejay = await withCheckedContinuation { continuation in
                Thread {
                    let bluejay = Bluejay(mainLoop: MainLoop(threadName: "bluetooth"))
                    Task {
                        await bluejay.start()
                        continuation.resume(returning: bluejay)
                    }
                }.start()
            }
            if await bluejay.onLoop({ $0.hasStarted }) { available += 1 }
        }
        print("started \(available)")
        print("ended \(try await TenThreads.run()) of \(10 * TenThreads.callCount)")
    }
}
