import Bluejay
import Foundation
import Staging
import TestSupport
import Testing

private let text = DescriptorIdentifier.userDescription(of: location)

// Each is a process of its own that ends in a crash, which takes its time on a busy machine.
@Suite("A peripheral used off its loop", .serialized, .timeLimit(.minutes(15)))
struct PeripheralThreadTests {
    @Test("A call from another thread ends the program with the way out", arguments: 0..<9)
    func elsewhere(index: Int) async {
        // A backtrace of the whole test program takes minutes on a busy machine.
        unsafe setenv("SWIFT_BACKTRACE", "enable=no", 1)
        ExitCase(of: "peripheral").choose(index)
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let bluejay = Bluejay(mainLoop: MainLoop(threadName: "central"))
            switch ExitCase(of: "peripheral").chosen {
            case 0: bluejay.read(from: text, as: String.self) { _ in }
            case 1: bluejay.write(to: text, value: "A") { _ in }
            case 2: bluejay.deviceInformation { _ in }
            case 3: bluejay.setAlias("A") { _ in }
            case 4: _ = try bluejay.peripheralDetails()
            case 5: bluejay.pair { _ in }
            case 6: bluejay.cancelPairing()
            case 7: bluejay.setPairingHandler(nil)
            default: _ = try bluejay.mtu()
            }
        }
        let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(error.contains("is called off its main loop; call it inside MainLoop.post"))
    }

    @Test("Inside a background task the regular calls are refused, and what is known is told")
    func task() async throws {
        try await onStage(isRecorded: false) { scene in
            let central = try await scene.connected(to: lateGadget).central
            await central.forget()
            let known = try await central.task { [central] _ in
                central.bluejay.read(from: text, as: String.self) {
                    central.note("read \($0.outcome)")
                }
                central.bluejay.deviceInformation { central.note("information \($0.outcome)") }
                central.bluejay.setAlias("A") { central.note("alias \($0.text)") }
                return (try central.bluejay.peripheralDetails().alias, try central.bluejay.mtu())
            }
            #expect(known == ("Gadget", 517))
            await central.wait(for: "alias")
            await central.expect([
                "read backgroundTaskRunning", "information backgroundTaskRunning",
                "alias backgroundTaskRunning",
            ])
        }
    }
}
