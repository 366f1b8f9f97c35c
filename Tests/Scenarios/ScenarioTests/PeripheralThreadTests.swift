import Bluejay
import Foundation
import Staging
import TestSupport
import Testing

private let text = DescriptorIdentifier.userDescription(of: location)

@Suite("Peripheral calls from other threads", .timeLimit(.minutes(15)))
struct PeripheralThreadTests {
    @Test("Calls from another thread run on the loop, in order")
    func elsewhere() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: lateGadget).central
            await central.forget()
            let bluejay = central.bluejay
            let known = try await onOwnThread { [central] in
                bluejay.setPairingHandler(nil)
                bluejay.setAlias("A") { central.recordEvent("alias \($0.text)") }
                bluejay.read(from: text, as: String.self) {
                    central.recordEvent("read \($0.outcome)")
                }
                bluejay.write(to: text, value: "A") { central.recordEvent("write \($0.text)") }
                bluejay.cancelPairing { _ in central.recordEvent("cancelled") }
                bluejay.mainLoop.post {
                    bluejay.read(from: text, as: String.self) { _ in central.recordEvent("posted") }
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

    @Test("Regular calls fail inside a background task, while known state remains readable")
    func task() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: lateGadget).central
            await central.forget()
            let known = try await central.task { [central] _ in
                central.bluejay.read(from: text, as: String.self) {
                    central.recordEvent("read \($0.outcome)")
                }
                central.bluejay.deviceInformation {
                    central.recordEvent("information \($0.outcome)")
                }
                central.bluejay.setAlias("A") { central.recordEvent("alias \($0.text)") }
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
