import BluejayGLib
import Foundation
import Testing

@testable import Bluejay

@Suite("State restoration")
struct RestorationTests {
    private let folder: StateFolder
    private let restorer = Restorer()
    private let gadget: PeripheralIdentifier

    init() throws {
        folder = try StateFolder()
        gadget = try PeripheralIdentifier(
            address: "C0:00:00:00:00:01",
            isRandomAddress: true,
            name: "Gadget"
        )
    }

    private let measurement = CharacteristicIdentifier(
        uuid: "2A37",
        service: ServiceIdentifier(uuid: "180D")
    )
    private let chirp = CharacteristicIdentifier(
        uuid: "83B4A431-A6F1-4540-B3EE-3C14AEF71A04",
        service: ServiceIdentifier(uuid: "CED261B7-F120-41C8-9A92-A41DE69CF2A8")
    )

    private func restoration(_ identifier: String = "demo") -> Restoration {
        Restoration(folder.config(identifier, restorer), on: MainContext(), log: folder.log)
    }

    /// Leaves the state of a run that was connected to the gadget.
    private func leave(_ listens: [CharacteristicIdentifier] = [], as identifier: String = "demo") {
        restoration(identifier).save(gadget, listens)
    }

    /// Passes a value to the restorer, and returns whether it turns off the notifications.
    private func stops(
        _ restoration: Restoration,
        _ value: Data,
        on characteristic: CharacteristicIdentifier,
        from peripheral: PeripheralIdentifier?
    ) -> Bool {
        var stops = false
        restoration.received(value, on: characteristic, from: peripheral) { stops = true }
        return stops
    }

    // MARK: Saving

    @Test("The next run restores the peripheral and its listens")
    func remembered() {
        leave([measurement, chirp])
        let next = restoration()
        #expect(next.isInProgress)
        #expect(next.peripheral == gadget)
        #expect(next.peripheral?.name == "Gadget")
        #expect(next.peripheral?.address == "C0:00:00:00:00:01")
        #expect(next.listens == [measurement, chirp])
    }

    @Test("A first run restores nothing and writes nothing")
    func firstRun() throws {
        let first = restoration()
        #expect(!first.isInProgress)
        first.save(nil, [])
        #expect(try folder.contents() == [])
    }

    @Test("An unchanged state is not written again")
    func unchanged() throws {
        let run = restoration()
        run.save(gadget, [measurement])
        // An unchanged state is not written again.
        try Data("untouched".utf8).write(to: folder.file().url)
        run.save(gadget, [measurement])
        #expect(try String(contentsOf: folder.file().url, encoding: .utf8) == "untouched")
        run.save(gadget, [])
        #expect(try String(contentsOf: folder.file().url, encoding: .utf8) != "untouched")
    }

    @Test("A forgotten peripheral is not restored")
    func forgotten() {
        let run = restoration()
        run.save(gadget, [measurement])
        run.save(nil, [])
        #expect(!restoration().isInProgress)
        #expect(restoration().listens == [])
    }

    @Test("Restore identifiers have separate states")
    func sideBySide() throws {
        let other = try PeripheralIdentifier(
            address: "C0:00:00:00:00:02",
            isRandomAddress: false,
            name: nil
        )
        leave([measurement], as: "a")
        restoration("a/b").save(other, [chirp])
        #expect(restoration("a").peripheral == gadget)
        #expect(restoration("a/b").peripheral == other)
        restoration("a").save(nil, [])
        #expect(restoration("a/b").listens == [chirp])
        #expect(!restoration("a").isInProgress)
    }

    @Test("A state that cannot be written is logged, and the run continues")
    func unwritable() throws {
        try FileManager.default.createDirectory(
            at: folder.file().url.appending(path: "inside"),
            withIntermediateDirectories: true
        )
        let run = restoration()
        run.save(gadget, [measurement])
        #expect(folder.lines.count == 2)
        #expect(!run.isInProgress)
    }

    @Test("The configuration reports whether a state can be restored")
    func isRestoring() {
        #expect(!folder.config("demo", restorer).isRestoringFromBackground)
        leave()
        #expect(folder.config("demo", restorer).isRestoringFromBackground)
        #expect(!folder.config("other", restorer).isRestoringFromBackground)
        restoration().save(nil, [])
        #expect(!folder.config("demo", restorer).isRestoringFromBackground)
    }

    @Test("A listen to the second characteristic with a UUID is restored as such")
    func instance() {
        let second = CharacteristicIdentifier(
            uuid: measurement.uuid,
            service: ServiceIdentifier(uuid: measurement.service.uuid, instance: 2),
            instance: 1
        )
        leave([measurement, second])
        #expect(restoration().listens == [measurement, second])
    }

    // MARK: Invalid files

    @Test("A peripheral without a BlueZ address is ignored and logged")
    func foreignPeripheral() {
        let foreign = SavedState.Peripheral(uuid: UUID(), name: "Phone")
        folder.file().save(SavedState(identifier: "demo", peripheral: foreign), log: folder.log)
        #expect(!restoration().isInProgress)
        #expect(folder.lines.count == 1)
        #expect(!folder.config("demo", restorer).isRestoringFromBackground)
    }

    @Test("Listens with malformed UUIDs are omitted")
    func malformedListen() {
        let saved = SavedState(
            identifier: "demo",
            peripheral: SavedState.Peripheral(uuid: gadget.uuid, name: "Gadget"),
            listens: [
                SavedState.Listen(service: "heart", characteristic: "2A37"),
                SavedState.Listen(service: "180D", characteristic: ""),
                SavedState.Listen(service: "180D", characteristic: "2A37"),
            ]
        )
        folder.file().save(saved, log: folder.log)
        #expect(restoration().listens == [measurement])
    }

    // MARK: The restorers

    @Test("A restored connection and its listens stay saved")
    func restored() {
        leave([measurement])
        let next = restoration()
        next.ended(gadget, nil)
        #expect(restorer.asked == ["restored Gadget"])
        #expect(!next.isInProgress)
        next.save(gadget, [])
        #expect(restoration().listens == [measurement])
    }

    @Test("A failed restoration is deleted before the restorer is called, once")
    func failed() {
        leave([measurement])
        let next = restoration()
        restorer.completion = .callback { [folder, restorer] in
            let isLeft = folder.config("demo", restorer).isRestoringFromBackground
            restorer.note("callback, something left: \(isLeft)")
        }
        next.ended(gadget, BluejayError.connectionTimedOut)
        next.ended(gadget, BluejayError.connectionTimedOut)
        let code = BluejayError.connectionTimedOut.errorCode
        #expect(restorer.asked == ["failed Gadget: \(code)", "callback, something left: false"])
        #expect(next.listens == [])
    }

    @Test("Released restorers are logged each time and block nothing")
    func releasedRestorers() {
        leave([measurement])
        func orphan() -> Restoration {
            Restoration(folder.config("demo", Restorer()), on: MainContext(), log: folder.log)
        }
        let restored = orphan()
        restored.ended(gadget, nil)
        #expect(!stops(restored, Data([1]), on: measurement, from: gadget))
        #expect(folder.lines.count == 2)
        let failed = orphan()
        failed.ended(gadget, BluejayError.connectionTimedOut)
        #expect(folder.lines.count == 3)
        #expect(!restoration().isInProgress)
    }

    @Test(
        "The listen restorer receives values of restored listens only, until a listen handles them"
    )
    func unhandled() {
        leave([measurement])
        let next = restoration()
        next.ended(gadget, nil)
        #expect(!stops(next, Data([1]), on: chirp, from: gadget))
        #expect(!stops(next, Data([2]), on: measurement, from: gadget))
        restorer.action = .stopListen
        #expect(stops(next, Data(), on: measurement, from: gadget))
        next.markHandled(measurement)
        #expect(!stops(next, Data([4]), on: measurement, from: gadget))
        #expect(restorer.asked == ["restored Gadget", "unhandled 2A37 [2]", "unhandled 2A37 []"])
    }

    @Test("Restored listens are dropped when the connection ends")
    func promiseEnds() {
        leave([measurement])
        let next = restoration()
        next.linkEnded()
        #expect(next.listens == [measurement], "the restored connection is still pending")
        next.ended(gadget, nil)
        next.linkEnded()
        #expect(next.listens == [])
    }
}
