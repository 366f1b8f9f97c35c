import BluejayL2CAP
import Foundation
import TestSupport
import Testing

// Each is a process of its own that ends in a crash, which takes its time on a busy machine.
@Suite("A channel used off its loop", .serialized, .timeLimit(.minutes(15)))
struct ChannelThreadTests {
    @Test("A call from another thread ends the program with the way out", arguments: 0..<5)
    func elsewhere(index: Int) async {
        // A backtrace of the whole test program takes minutes on a busy machine.
        unsafe setenv("SWIFT_BACKTRACE", "enable=no", 1)
        ExitCase(of: "channel").choose(index)
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let host = BluetoothHost(mainLoop: MainLoop(threadName: "channel"))
            let peer = PeripheralIdentifier(uuid: UUID(), name: "Sensor")
            let channel = L2CAPChannel(to: peer, psm: 0x80, host: host)
            let listener = L2CAPListener(host: host)
            switch ExitCase(of: "channel").chosen {
            case 0: channel.open { _ in }
            case 1: channel.send(Data([1])) { _ in }
            case 2: channel.close {}
            case 3: channel.onReceive = { _ in }
            default: listener.start { _ in }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("is called off its main loop; call it inside MainLoop.post"))
    }
}
