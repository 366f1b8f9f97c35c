import BluejayGLib
import Foundation
import Synchronization
import Testing

@Suite("A rendezvous of two threads")
struct RendezvousTests {
    @Test("A receiver that waits first receives the value once, on the sending thread")
    func waitsFirst() {
        let rendezvous = Rendezvous<Int>()
        let received = Mutex<[Int]>([])
        rendezvous.receive { value in received.withLock { $0.append(value) } }
        #expect(!rendezvous.isFilled)
        rendezvous.send(1)
        rendezvous.send(2)
        #expect(rendezvous.isFilled)
        #expect(received.withLock { $0 } == [1])
    }

    @Test("A receiver that arrives later receives the value at once")
    func givesFirst() {
        let rendezvous = Rendezvous<Int>()
        let received = Mutex<[Int]>([])
        rendezvous.send(1)
        #expect(rendezvous.isFilled)
        rendezvous.receive { value in received.withLock { $0.append(value) } }
        rendezvous.send(2)
        #expect(received.withLock { $0 } == [1])
    }

    @Test("A value sent and received at the same time arrives")
    func atOnce() async {
        for number in 0..<500 {
            let rendezvous = Rendezvous<Int>()
            Thread { rendezvous.send(number) }.start()
            let received = await withCheckedContinuation { continuation in
                rendezvous.receive { continuation.resume(returning: $0) }
            }
            #expect(received == number)
        }
    }
}
