import Bluejay
import BluejaySimulator
import Staging
import TestSupport
import Testing

@Suite(
    "A link established after its connection attempt was cancelled",
    .enabled(if: !isRealBlueZ, "the real bluetoothd does this only occasionally"),
    .timeLimit(.minutes(15))
)
struct CancelledConnectTests {
    /// Cancels a connection attempt before a suspended bluetoothd handles it.
    ///
    /// Returns after the completion of the attempt, which runs `then`.
    private func cancelConnect(
        _ context: ScenarioContext,
        _ central: RecordingCentral,
        to gadget: PeripheralIdentifier,
        then: @escaping @Sendable (RecordingCentral) -> Void = { _ in }
    ) async throws {
        try await context.simulate {
            $0.apply(.connectsDespiteDisconnect(true))
            $0.apply(.daemonFrozen(for: .seconds(300)))
        }
        await central.run { central in
            central.recordConnect("first", gadget) { then(central) }
        }
        // The call is sent in the next iteration.
        await central.run { _ in }
        await central.run { _ in }
        await central.run { $0.recordDisconnect("disconnect", immediate: true) }
        await central.run { _ in }
        try await context.simulate { $0.apply(.daemonResumed) }
        await central.wait(for: "first explicitDisconnect")
    }

    @Test("The link ends without calling observers or handlers")
    func goesDown() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(silentGadget, reconnects: true)
            let (central, peripheral) = (found.central, found.peripheral)
            await central.forget()
            try await context.setAnswersDiscovery(false)
            // The link lasts 3 s, which a busy machine may need to return from the cancellation.
            async let connection: Void = wait { try await peripheral.isConnected() }
            try await cancelConnect(context, central, to: found.identifier)
            try await connection
            try await context.setAnswersDiscovery(true)
            try await wait { try await !peripheral.isConnected() }
            await central.expect([
                "disconnected Gadget", "disconnect ok", "first explicitDisconnect",
            ])
            try await central.connect(found.identifier)
        }
    }

    @Test("A new attempt in the completion of the cancelled one uses the link")
    func retry() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(silentGadget)
            let (central, gadget) = (found.central, found.identifier)
            try await cancelConnect(context, central, to: gadget) {
                $0.recordConnect("second", gadget)
            }
            await central.wait(for: "second ok")
            #expect(try await central.value(of: controlPoint, as: UInt8.self) == 7)
        }
    }

    @Test("The link ends even if its instance and its loop end first")
    func endOfLoop() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(silentGadget)
            async let connection: Void = wait { try await peripheral.isConnected() }
            try await live(on: context)
            try await connection
            try await context.setAnswersDiscovery(true)
            try await wait { try await !peripheral.isConnected() }
        }
    }

    // Returning releases the instance and its loop.
    private func live(on context: ScenarioContext) async throws {
        let central = await RecordingCentral(context.testbed.busAddress, adapter: "hci0")
        let gadget = try await central.find()
        try await context.setAnswersDiscovery(false)
        try await cancelConnect(context, central, to: gadget)
    }
}

extension ScenarioContext {
    /// Sets whether the gadget answers the discovery of its services, without which a link lasts 3 s here.
    fileprivate func setAnswersDiscovery(_ answers: Bool) async throws {
        try await simulate { $0.device("C0:00:00:00:00:01")?.answersDiscovery = answers }
    }
}
