import Bluejay
import BluejayAsync
import Glibc
import Logging
import ServiceLifecycle

/// Prints heart rates until SIGTERM, then disconnects.
struct HeartRates: Service {
    let bluejay = Bluejay(host: BluetoothHost())

    func run() async throws {
        await bluejay.start()
        SystemdService.startWatchdog(on: bluejay.mainLoop)
        SystemdService.notify(.ready)
        do { try await cancelWhenGracefulShutdown(follow) } catch is CancellationError {}
        SystemdService.notify(.stopping)
        if bluejay.isConnected { try await bluejay.disconnect() }
    }

    @Sendable func follow() async throws {
        while true {
            // After a lost link, this call waits for the reconnection.
            try await bluejay.connect(toFirst: .anyService([.heartRate]), within: .none)
            let readings = bluejay.values(of: .heartRateMeasurement, as: HeartRateReading.self)
            do {
                for try await reading in readings {
                    print("heart rate \(reading.beatsPerMinute)")
                    fflush(nil)  // The journal gets each line at once.
                }
            } catch let error as BluejayError where error.isRetryable {
                SystemdService.notify(.status("again: \(error)"))
            }
        }
    }
}

let group = ServiceGroup(
    services: [HeartRates()],
    gracefulShutdownSignals: [.sigterm, .sigint],
    logger: Logger(label: "heart-rate")
)
try await group.run()
