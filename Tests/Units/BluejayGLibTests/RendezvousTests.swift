import BluejayGLib
import Foundation
import Synchronization
import Testing

@Suite("A meeting of two threads")
struct MeetingTests {
    @Test("Who waits before the value came gets it where it is given, once")
    func waitsFirst() {
        let meeting = Rendezvous<Int>()
        let got = Mutex<[Int]>([])
        meeting.receive { value in got.withLock { $0.append(value) } }
        #expect(!meeting.isFilled)
        meeting.send(1)
        meeting.send(2)
        #expect(meeting.isFilled)
        #expect(got.withLock { $0 } == [1])
    }

    @Test("Who waits after the value came gets it at once")
    func givesFirst() {
        let meeting = Rendezvous<Int>()
        let got = Mutex<[Int]>([])
        meeting.send(1)
        #expect(meeting.isFilled)
        meeting.receive { value in got.withLock { $0.append(value) } }
        meeting.send(2)
        #expect(got.withLock { $0 } == [1])
    }

    @Test("When both come at the same time the value arrives all the same")
    func atOnce() async {
        for number in 0..<500 {
            let meeting = Rendezvous<Int>()
            Thread { meeting.send(number) }.start()
            let got = await withCheckedContinuation { continuation in
                meeting.receive { continuation.resume(returning: $0) }
            }
            #expect(got == number)
        }
    }
}
