import TestSupport
import Testing

@testable import Bleu

@Suite("Flow of a stream")
struct StreamMachineTests {
    private let window = StreamReceiver.window

    @Test("Elements are delivered in order; repeated ones are ignored and a gap ends the stream")
    func order() {
        var receiver = StreamReceiver()
        #expect(receiver.received(0) == .deliver)
        #expect(receiver.received(0) == .ignore)
        #expect(receiver.received(1) == .deliver)
        #expect(receiver.received(0) == .ignore)
        #expect(receiver.received(3) == .fail)
        #expect(receiver.isEnded)
        #expect(receiver.received(2) == .ignore)
    }

    @Test("An element beyond the credit ends the stream")
    func overrun() {
        var receiver = StreamReceiver()
        for number in 0..<window { #expect(receiver.received(number) == .deliver) }
        #expect(receiver.received(window) == .fail)
    }

    @Test("A credit follows each consumed half of the window")
    func credits() {
        var receiver = StreamReceiver()
        var credits: [UInt32] = []
        for number in 0..<window * 2 {
            #expect(receiver.received(number) == .deliver)
            if let credit = receiver.elementConsumed() { credits.append(credit) }
        }
        #expect(credits == [48, 64, 80, 96])
        #expect(receiver.elementConsumed() == nil)
        receiver.end()
        #expect(receiver.received(window * 2) == .ignore)
    }

    @Test("The producer is asked for one element at a time, within the credit")
    func pulling() {
        var sender = StreamSender()
        for number in 0..<window {
            #expect(sender.pull() == true)
            #expect(sender.pull() == false)
            #expect(sender.pulled() == number)
        }
        #expect(sender.pull() == false)
        sender.granted(window)
        #expect(sender.pull() == false)
        sender.granted(window + 1)
        #expect(sender.pull() == true)
        #expect(sender.pulled() == window)
        #expect(sender.pull() == false)
        sender.granted(1)
        #expect(sender.pull() == false)
    }

    @Test("A credit beyond the window does not release the producer")
    func hostileCredit() {
        var sender = StreamSender()
        sender.granted(.max / 2)
        var count: UInt32 = 0
        while sender.pull(), sender.pulled() != nil, count < 1000 { count += 1 }
        #expect(count == window)
    }

    @Test("An element that the producer returns after its cancellation is not sent")
    func cancelledWhilePulling() {
        var sender = StreamSender()
        #expect(sender.pull() == true)
        #expect(sender.end() == true)
        #expect(sender.end() == false)
        #expect(sender.pulled() == nil)
        #expect(sender.pull() == false)
        #expect(sender.isEnded)
    }

    @Test("Random events keep the order, stay within the window and never stall", arguments: 0..<50)
    func random(run: Int) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        // Some runs wrap around the end of the numbers.
        let first: UInt32 = run.isMultiple(of: 2) ? 0 : .max - 100
        var sender = StreamSender(first: first)
        var receiver = StreamReceiver(first: first)
        var elements: [UInt32] = []
        var credits: [UInt32] = []
        var isPulling = false
        var waiting = 0
        var delivered: UInt32 = 0
        var consumed = 0
        for _ in 0..<5_000 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                if sender.pull() {
                    #expect(!isPulling, "seed \(seed)")
                    isPulling = true
                }
            case 1 where isPulling:
                isPulling = false
                if let number = sender.pulled() { elements.append(number) }
            case 2 where !elements.isEmpty:
                let number = elements.removeFirst()
                #expect(receiver.received(number) == .deliver, "seed \(seed)")
                #expect(number == first &+ delivered, "seed \(seed)")
                delivered += 1
                waiting += 1
                if Bool.random(using: &random) { #expect(receiver.received(number) == .ignore) }
            case 3 where waiting > 0:
                waiting -= 1
                consumed += 1
                if let credit = receiver.elementConsumed() { credits.append(credit) }
            case 4 where !credits.isEmpty:
                // A lost credit does no harm if a later one arrives.
                let index = Int.random(in: credits.indices, using: &random)
                sender.granted(credits[index])
                if index == credits.count - 1 { credits = [] }
            default: break
            }
            #expect(waiting + elements.count + (isPulling ? 1 : 0) <= window, "seed \(seed)")
        }
        if isPulling, let number = sender.pulled() { elements.append(number) }
        for number in elements { #expect(receiver.received(number) == .deliver, "seed \(seed)") }
        for _ in 0..<waiting + elements.count {
            if let credit = receiver.elementConsumed() { credits.append(credit) }
        }
        credits.last.map { sender.granted($0) }
        #expect(sender.pull() == true, "seed \(seed)")
        #expect(consumed > 100, "seed \(seed)")
    }
}
