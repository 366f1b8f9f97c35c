import Bluejay

extension Dice {
    mutating func step(players: Int, peers: Int) -> Step {
        let pause: Pause = pick([
            (8, .nothing), (6, .iteration), (4, .milliseconds(1 + below(40))),
            (3, .milliseconds(100 + below(900))), (1, .milliseconds(2_000 + below(3_000))),
        ])
        let action: Step.Action
        if happens(1, of: 4) {
            action = .mishap(mishap(peer: below(peers)))
        } else if happens(1, of: 6) {
            action = .callInside(below(players), call(peer: below(peers)))
        } else {
            action = .call(below(players), call(peer: below(peers)))
        }
        return Step(pause: pause, action: action)
    }

    /// Returns a step of a log observer that calls back into the library.
    mutating func stepInLines(players: Int, peers: Int) -> Step {
        let call: Call = pick([
            (2, .stopScanning), (4, .cancelEverything(disconnects: false)),
            (2, .cancelEverything(disconnects: true)), (4, .disconnect(immediate: true)),
            (8, call(peer: below(peers))),
        ])
        let action = Step.Action.callInLines(
            below(players),
            call,
            every: 1 + below(4),
            times: 1 + below(12)
        )
        return Step(pause: .nothing, action: action)
    }

    private mutating func limit() -> Int? {
        pick([(3, nil), (2, 1 + below(20)), (3, 50 + below(200))])
    }

    private mutating func attribute() -> Attribute {
        pick([(4, .numbers), (4, .location), (3, .control), (3, .echo), (1, .missing)])
    }

    private mutating func listened() -> Attribute {
        pick([(6, .numbers), (2, .echo), (1, .location)])
    }

    private mutating func call(peer: Int) -> Call {
        pick([
            (1, .start), (5, .scan(scan())), (2, .concurrentScan(scan())), (2, .watch(scan())),
            (3, .stopScanning), (3, .connectToFirst(limit: limit())),
            (10, .connect(peer: happens(1, of: 12) ? 9 : peer, limit: limit())),
            (4, .disconnect(immediate: false)), (3, .disconnect(immediate: true)),
            (10, .read(attribute(), limit: limit())), (8, write()), (10, listen()),
            (6, .endListen(listened())), (8, .task((0..<1 + below(4)).map { _ in taskCall() })),
            (2, .cancelEverything(disconnects: true)), (2, .cancelEverything(disconnects: false)),
            (3, .stop(then: pick([(1, .stays), (2, .fresh), (2, .handedOver)]))),
            (1, .observe), (1, .stopObserving), (2, .setReconnectMode(answer())),
            (2, .queryEverything),
            (1, .readRSSI), (8, .adapter(adapterCall(peer: peer))),
            (2, settings()), (2, .release(elsewhere: happens(1, of: 2))),
        ])
    }

    private mutating func scan() -> Scan {
        Scan(
            duration: pick([(1, nil), (2, 10 + below(100))]),
            allowsDuplicates: happens(1, of: 2),
            discoveries: 1 + below(3),
            answer: pick([(2, .keepScanning), (3, .stop), (1, .blacklist), (4, .connect)])
        )
    }

    private mutating func write() -> Call {
        .write(
            attribute(),
            happens(3, of: 4) ? .withResponse : .withoutResponse,
            limit: limit()
        )
    }

    private mutating func listen() -> Call {
        .listen(
            listened(),
            happens(1, of: 2) ? .trap : .replaceable,
            isKept: happens(1, of: 3),
            limit: limit()
        )
    }

    private mutating func answer() -> AutoReconnectMode {
        pick([
            (1, .noChange), (1, .change(shouldAutoReconnect: true)),
            (1, .change(shouldAutoReconnect: false)),
        ])
    }

    private mutating func settings() -> Call {
        .settings(
            attempts: pick([(2, nil), (1, 0), (1, 2)]),
            broadcasts: happens(1, of: 2)
        )
    }

    private mutating func taskCall() -> TaskCall {
        pick([
            (4, .read(attribute())), (3, .write(attribute(), .withResponse)),
            (1, .write(attribute(), .withoutResponse)), (1, .writeAndRead),
            (3, .listen(listened(), values: 1 + below(3), limit: pick([(4, 50), (1, nil)]))),
            (2, .endListen(listened())), (1, .flush), (2, .writeAndListen(limit: 60)),
            (1, .writeAndAssemble(limit: 60)), (1, .maximumLength),
            (1, .cancelEverything(disconnects: happens(1, of: 2))), (1, .fail),
        ])
    }

    private mutating func mishap(peer: Int) -> Mishap {
        pick([
            (12, .notify(peer: peer, count: 1 + below(5))), (4, .dropLink(peer: peer)),
            (3, .leaveRange(peer: peer)), (6, .returnToRange(peer: peer)),
            (2, .stopResponding(peer: peer)),
            (2, .power(false)), (4, .power(true)), (1, .killDaemon), (1, .terminateDaemon),
            (4, .startDaemon), (4, .behavior(peer: peer, attribute(), behavior())),
            (2, .removeService(peer: peer)), (2, .addService(peer: peer)),
        ])
    }

    private mutating func behavior() -> Mishap.Behavior {
        pick([(3, .works), (2, .refuses), (1, .isSilent), (1, .leaves), (2, .isLate)])
    }
}
