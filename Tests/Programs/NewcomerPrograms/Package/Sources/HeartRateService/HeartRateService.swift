import Bluejay
import BluejayAsync
import Glibc
import Logging
import ServiceLifecycle

/// Prints heart rates until SIGTERM, then disconnects.
@main
struct HeartRateService: Service {
    let bluejay: Bluejay
    let manager: ServiceManager

    static func main() async throws {
        let bluejay = Bluejay(mainLoop: MainLoop(threadName: "bluetooth"))
        let manager = ServiceManager()
        let group = ServiceGroup(
            services: [
                HeartRateService(bluejay: bluejay, manager: manager),
                Watchdog(loop: bluejay.mainLoop, manager: manager),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "heart-rate")
        )
        try await group.run()
    }

    func run() async throws {
        await bluejay.start()
        manager.notify("READY=1")
        do {
            try await cancelWhenGracefulShutdown { try await follow() }
        } catch is CancellationError {}
        manager.notify("STOPPING=1")
        if bluejay.isConnected { try await bluejay.disconnect() }
    }

    private func follow() async throws {
        while true {
            // After a lost link this waits for the reconnection.
            try await bluejay.connect(toFirst: .anyService([.heartRate]), within: .none)
            let readings = bluejay.values(of: .heartRateMeasurement, as: HeartRateReading.self)
            do {
                for try await reading in readings {
                    print("heart rate \(reading.beatsPerMinute)")
                    fflush(nil)  // A journal gets each line at once.
                }
            } catch let error as BluejayError where error.isRetryable {
                print("again: \(error)")
            }
        }
    }
}
