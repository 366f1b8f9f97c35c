import BluejayDBus
import Testing

@testable import BluejayBlueZ

@Suite("Rejected pairings")
struct PairingRejectionsTests {
    private let lock: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_03"

    @Test("A rejection applies once, to the pending pairing")
    func rejected() {
        var rejections = PairingRejections()
        rejections.pairingStarted(lock)
        rejections.requestRejected(lock)
        var ends = [rejections.pairingEnded(lock), rejections.pairingEnded(lock)]
        rejections.pairingStarted(lock)
        rejections.requestRejected(lock)
        rejections.pairingStarted(lock)
        ends.append(rejections.pairingEnded(lock))
        #expect(ends == [true, false, false])
    }

    @Test("Ten thousand rejected strangers leave no entry")
    func strangers() throws {
        var rejections = PairingRejections()
        rejections.pairingStarted(lock)
        for number in 0..<10_000 {
            let stranger = try #require(ObjectPath("/org/bluez/hci0/dev_\(number)"))
            rejections.requestRejected(stranger)
        }
        #expect(rejections.pendingCount == 1)
        let isRejected = rejections.pairingEnded(lock)
        #expect(!isRejected)
        #expect(rejections.pendingCount == 0)
    }
}
