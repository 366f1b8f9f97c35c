import Bluejay
import FoundationEssentials
import Glibc

/// The rows through the callback API, on the loop of its creator.
final class Central {
    /// Operations before the row, to exclude costs that occur only once.
    private static let warmUp = 100

    let job: Job
    let payload: Data
    let bluejay: Bluejay
    var meter = Meter()
    var done = 0
    private var numbers = Numbers()
    private var started = 0.0
    private var second: Central?

    init(_ job: Job, _ loop: MainLoop = .main) {
        self.job = job
        payload = job.payload
        bluejay = Bluejay(mainLoop: loop, adapter: World.adapter)
    }

    func start() {
        if job.row == "startup" { return startUp() }
        bluejay.start()
        switch job.row {
        case "scan": whenAvailable { [self] in scan() }
        case "connect":
            whenAvailable { [self] in
                meter.waitAndBegin(job.count)
                connectOnce()
            }
        default: connect(1) { [self] in connected() }
        }
    }

    private func connected() {
        switch job.row {
        case "read", "write", "command": store { [self] in repeatRow() }
        case "fdwrite": sendMany()
        case "notify", "fdnotify", "answer", "idle": listen()
        case "links": storeOnBothLinks()
        case "queue", "cancel", "drain": store { [self] in fillQueue() }
        default: cannot("the row is not implemented")
        }
    }

    func connect(_ device: Int, then: @escaping () -> Void) {
        bluejay.connect(World.device(device), timeout: 60) { result in
            guard case .success = result else { fail("connect: \(result)") }
            then()
        }
    }

    func store(then: @escaping () -> Void) {
        bluejay.write(to: World.value, value: payload) { result in
            guard case .success = result else { fail("write: \(result)") }
            then()
        }
    }

    // MARK: Reads and writes

    private func repeatRow() {
        step(Self.warmUp) { [self] in
            meter = Meter()
            meter.waitAndBegin(job.count)
            step(job.count) { [self] in meter.finish(job.count) }
        }
    }

    private func step(_ left: Int, then: @escaping () -> Void) {
        guard left > 0 else { return then() }
        started = meter.start()
        if job.row == "read" {
            bluejay.read(from: World.value) { [self] (result: ReadResult<Data>) in
                guard case .success(let data) = result, data.count == job.size else {
                    fail("read: \(result)")
                }
                meter.latency(since: started)
                step(left - 1, then: then)
            }
        } else {
            let type: WriteType = job.row == "write" ? .withResponse : .withoutResponse
            bluejay.write(to: World.value, value: payload, type: type) { [self] result in
                guard case .success = result else { fail("write: \(result)") }
                meter.latency(since: started)
                step(left - 1, then: then)
            }
        }
    }

    // MARK: Two links

    private func storeOnBothLinks() {
        let second = Central(job, bluejay.mainLoop)
        self.second = second
        second.bluejay.start()
        second.connect(2) { [self] in
            second.store { [self] in
                store { [self] in
                    meter.waitAndBegin(0)
                    var left = 2
                    for link in [self, second] {
                        link.step(job.count) { [self] in
                            left -= 1
                            if left == 0 { meter.finish(2 * job.count) }
                        }
                    }
                }
            }
        }
    }

    // MARK: Notifications

    private func listen() {
        let path: ListenTransport = job.row == "fdnotify" ? .socket : .signals
        bluejay.listen(to: World.notifier, through: path) { [self] (result: ReadResult<Data>) in
            guard case .success(let data) = result, data.count == job.size else {
                fail("listen: \(result)")
            }
            if job.row == "answer" { return askAgain() }
            numbers.take(data)
            if numbers.expected == job.count { meter.finish(job.count, lost: numbers.lost) }
        }
        // Wait for the end of the setup.
        bluejay.read(from: World.control) { [self] (_: ReadResult<Data>) in
            meter.waitAndBegin(job.row == "answer" ? job.count : 0)
            if job.row == "idle" {
                print("idle")
                fflush(nil)
                return
            }
            started = meter.start()
            order(job.row == "answer" ? 1 : job.count)
        }
    }

    private func order(_ count: Int) {
        bluejay.write(to: World.control, value: job.order(count)) { result in
            guard case .success = result else { fail("order: \(result)") }
        }
    }

    private func askAgain() {
        meter.latency(since: started)
        done += 1
        if done == job.count { meter.finish(done) }
        started = meter.start()
        order(1)
    }

    // MARK: Scanning

    private func scan() {
        var reports = 0
        meter.waitAndBegin(0)
        bluejay.scan(
            allowDuplicates: true,
            throttleRSSIDelta: 0,
            serviceIdentifiers: nil
        ) { discovery, _ in
            reports += 1
            return discovery.advertisement.localName == "END" ? .stop : .continue
        } stopped: { [self] _, error in
            if let error { fail("scan: \(error)") }
            meter.finish(reports)
        }
    }

    // MARK: Connecting and starting

    private func connectOnce() {
        started = meter.start()
        connect(1) { [self] in
            meter.latency(since: started)
            bluejay.disconnect { [self] result in
                guard case .disconnected = result else { fail("disconnect: \(result)") }
                done += 1
                if done == job.count { meter.finish(done) }
                connectOnce()
            }
        }
    }

    private func startUp() {
        meter.waitAndBegin(1)
        started = meter.start()
        whenAvailable { [self] in
            meter.latency(since: started)
            meter.finish(1)
        }
        bluejay.start()
    }

    private var availability: Availability?

    private func whenAvailable(_ action: @escaping () -> Void) {
        let observer = Availability { [self] in
            availability = nil
            action()
        }
        availability = observer
        bluejay.register(connectionObserver: observer)
    }
}

private final class Availability: ConnectionObserver {
    private var action: (() -> Void)?

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    func bluetoothAvailable(_ available: Bool) {
        guard available, let action else { return }
        self.action = nil
        action()
    }
}
