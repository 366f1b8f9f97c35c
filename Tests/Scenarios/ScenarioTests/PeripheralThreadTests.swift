import Bluejay
import Foundation
import Staging
import TestSupport
import Testing

private let text = DescriptorIdentifier.userDescription(of: location)

@Suite("A peripheral used off its loop", .timeLimit(.minutes(15)))
struct PeripheralThreadTests {
    @Test("32.40: calls from another thread are made on the loop, in their order")
    func elsewhere() async throws {
        try await onStage(isRecorded: false) { scene in
            let central = try await scene.connected(to: lateGadget).central
            await central.forget()
            let bluejay = central.bluejay
            let known = try await onOwnThread { [central] in
                bluejay.setPairingHandler(nil)
                bluejay.setAlias("A") { central.note("alias \($0.text)") }
                bluejay.read(from: text, as: String.self) { central.note("read \($0.outcome)") }
                bluejay.write(to: text, value: "A") { central.note("write \($0.text)") }
                bluejay.cancelPairing { _ in central.note("cancelled") }
                bluejay.mainLoop.post {
                    bluejay.read(from: text, as: String.self) { _ in central.note("posted") }
                }
                return (try bluejay.peripheralDetails().peripheral.name, try bluejay.mtu())
            }
            #expect(known == ("Gadget", 517))
            await central.wait(for: "posted")
            let record = await central.record()
            #expect(record.filter { $0.hasPrefix("alias") } == ["alias ok"])
            let ends = ["alias", "read", "write", "posted"].map { name in
                record.firstIndex { $0.hasPrefix(name) } ?? -1
            }
            #expect(ends == ends.sorted() && ends.first != -1)
            #expect(record.contains("cancelled"))
        }
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
