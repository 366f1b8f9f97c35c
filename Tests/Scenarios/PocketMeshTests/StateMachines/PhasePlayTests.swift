import Testing

@testable import PocketMesh

@Suite("Random events of a connection")
struct PhasePlayTests {
    @Test(
        "In random sequences, calls end once, losses are reported once and phases follow their order"
    )
    func random() {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        var taken: Set<Arrow> = []
        for round in UInt64(0)..<2_000 {
            var play = PhasePlay(seed &+ round)
            for _ in 0..<400 where play.ledger.faults.isEmpty { play.step() }
            if play.ledger.faults.isEmpty { play.end() }
            #expect(play.ledger.faults.isEmpty, "seed \(seed), round \(round)")
            taken.formUnion(play.ledger.arrows)
        }
        // The plays cover every allowed transition.
        #expect(Arrow.allowed.subtracting(taken).isEmpty, "seed \(seed)")
    }
}
