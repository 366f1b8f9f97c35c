import Bluejay
import Foundation
import Staging
import TestSupport
import Testing

// Each is a process of its own that ends in a crash, which takes its time on a busy machine.
@Suite("Scans and adapters used off their loop", .serialized, .timeLimit(.minutes(15)))
struct ScanThreadTests {
    @Test("A call from another thread ends the program with the way out", arguments: 0..<8)
    func elsewhere(index: Int) async {
        // A backtrace of the whole test program takes minutes on a busy machine.
        unsafe setenv("SWIFT_BACKTRACE", "enable=no", 1)
        ExitCase(of: "scan").choose(index)
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let bluejay = Bluejay(mainLoop: MainLoop(threadName: "central"))
            switch ExitCase(of: "scan").chosen {
            case 0:
                bluejay.scan(matching: .everything) { (_: ScanDiscovery) in
                    .continue
                } stopped: { (_: (any Error)?) in
                }
            case 1: bluejay.connect(toFirst: .everything) { _ in }
            case 2:
                bluejay.watch(for: .everything) { _ in
                    .continue
                } stopped: { _ in
                }
            case 3: bluejay.defaultTimeouts = DefaultTimeouts(connect: 1)
            case 4: bluejay.listAdapters { _ in }
            case 5: bluejay.useAdapter(nil) { _ in }
            case 6: bluejay.setAdapterAlias("A") { _ in }
            default: bluejay.knownPeripherals { _ in }
            }
        }
        let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(error.contains("is called off its main loop; call it inside MainLoop.post"))
    }
}
