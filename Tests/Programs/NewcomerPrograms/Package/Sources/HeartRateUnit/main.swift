import Bluejay
import BluejayAsync
import Glibc

let bluejay = Bluejay()

@Sendable func follow() async throws {
    await bluejay.start()
    SystemdService.notify(.ready)
    while true {
        // After a lost link, this call waits for the reconnection.
        let sensor = try await bluejay.connect(toFirst: .anyService([.heartRate]), within: .none)
        SystemdService.notify(.status("connected to \(sensor)"))
        do {
            for try await reading in bluejay.values(
                of: .heartRateMeasurement,
                as: HeartRateReading.self
            ) {
                print("heart rate \(reading.beatsPerMinute)")
                fflush(nil)  // The journal gets each line at once.
            }
        } catch let error as BluejayError where error.isRetryable {
            SystemdService.notify(.status("connecting again: \(error)"))
        }
    }
}

SystemdService.startWatchdog(on: .main)
do {
    try MainLoop.main.run { try await follow() }
} catch is CancellationError, BluejayError.stopped {
    // SIGTERM or Ctrl-C: the loop has disconnected.
    SystemdService.notify(.stopping)
} catch {
    print(error)
    exit(EXIT_FAILURE)
}
