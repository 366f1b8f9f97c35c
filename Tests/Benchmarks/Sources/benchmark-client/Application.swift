import Bluejay
import BluejayGATTServer
import FoundationEssentials

/// A service with a value to read and write and one to subscribe to; exits when its subscriber leaves.
///
/// The measurement covers the time of the subscription.
final class Application: @unchecked Swift.Sendable {
    // Used on the main loop only: the invariant behind `@unchecked`.

    /// The number of notifications in one turn of the loop.
    private static let batch = 100

    private let job: Job
    private let server = GATTServer()
    private let notifier: LocalCharacteristic
    private let service: LocalService
    private var meter = Meter()
    private var sent = 0
    private var message: Data

    init(_ job: Job) {
        self.job = job
        message = job.payload
        func uuid(_ number: Int) -> BluetoothUUID { BluetoothUUID(string: World.uuid(number)) }
        let value = LocalCharacteristic(
            uuid: uuid(1),
            properties: [.read, .write],
            value: job.payload
        )
        notifier = LocalCharacteristic(uuid: uuid(2), properties: [.notify])
        service = LocalService(uuid: uuid(0), characteristics: [value, notifier])
    }

    func start() {
        notifier.onSubscriptionChange = { [self] isSubscribed in
            guard isSubscribed else { meter.finish(job.count) }
            meter.begin()
            if job.row == "serve-notify" { notify() }
        }
        meter.waitAndBegin(0)
        server.start()
        server.add(service) { result in
            if case .failure(let error) = result { fail("\(error)") }
        }
    }

    private func notify() {
        let end = min(job.count, sent + Self.batch)
        while sent < end {
            for byte in 0..<4 { message[byte] = UInt8(truncatingIfNeeded: sent >> (8 * byte)) }
            guard (try? server.notify(message, on: notifier)) == true else { fail("notify") }
            sent += 1
        }
        if sent < job.count { MainLoop.main.post { [self] in notify() } }
    }
}
