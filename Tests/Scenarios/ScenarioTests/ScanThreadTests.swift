import Bluejay
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Scan and adapter calls from other threads", .timeLimit(.minutes(15)))
struct ScanThreadTests {
    @Test("Before start, calls from another thread fail on the loop, in order")
    func elsewhere() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await RecordingCentral.stopped(context.testbed.busAddress)
            let bluejay = central.bluejay
            try await onOwnThread {
                let note: @Sendable (String) -> Void = { name in
                    central.recordEvent("\(name) \(bluejay.mainLoop.isCurrent)")
                }
                bluejay.scan(matching: .everything) { (_: ScanDiscovery) in
                    .continue
                } stopped: { (_: (any Error)?) in
                    note("scan")
                }
                bluejay.connect(toFirst: .everything) { _ in note("connect") }
                bluejay.watch(for: .everything) { _ in
                    .continue
                } stopped: { _ in
                    note("watch")
                }
                bluejay.listAdapters { _ in note("list") }
                bluejay.useAdapter(nil) { _ in note("use") }
                bluejay.setAdapterAlias("A") { _ in note("alias") }
                bluejay.knownPeripherals { _ in note("known") }
            }
            await central.wait(for: "known")
            await central.expect(
                ["scan", "connect", "watch", "list", "use", "alias", "known"].map { "\($0) true" }
            )
        }
    }
}
