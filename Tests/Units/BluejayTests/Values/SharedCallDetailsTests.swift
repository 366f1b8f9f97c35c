import Foundation
import Testing

@testable import Bluejay

private let service = ServiceIdentifier(uuid: "180D")

private func characteristic(_ number: Int) -> CharacteristicIdentifier {
    CharacteristicIdentifier(uuid: BluetoothUUID(uint16: UInt16(number)), service: service)
}

@Suite("Calls on characteristics")
struct SharedCallDetailsTests {
    @Test("Consecutive identical calls to one characteristic share their details")
    func sharing() async {
        let loop = MainLoop(threadName: "sharing")
        let results: [Bool] = await withCheckedContinuation { continuation in
            loop.post {
                let queue = Bluejay(mainLoop: loop).instance.queue
                let first = queue.details(of: .read, characteristic(1))
                let same = queue.details(of: .read, characteristic(1))
                let write = queue.details(of: .write, characteristic(1))
                let second = queue.details(of: .write, characteristic(2))
                let other = CharacteristicIdentifier(uuid: "0002", service: service, instance: 1)
                continuation.resume(returning: [
                    same === first,
                    write !== first,
                    second !== write,
                    queue.details(of: .write, other).characteristic == other,
                ])
            }
        }
        #expect(results == [true, true, true, true])
    }

    @Test("Each call has its own details, with any number of characteristics")
    func many() async {
        let loop = MainLoop(threadName: "many")
        let mistakes: [Int] = await withCheckedContinuation { continuation in
            loop.post {
                let queue = Bluejay(mainLoop: loop).instance.queue
                var mistakes: [Int] = []
                for round in 0..<3 {
                    for number in (0..<20) where round != 1 || number % 2 == 0 {
                        let call = queue.details(of: .write, characteristic(number))
                        if call.characteristic != characteristic(number)
                            || call.subject.characteristic != characteristic(number)
                            || call.subject.call != .write
                        {
                            mistakes.append(number)
                        }
                    }
                }
                continuation.resume(returning: mistakes)
            }
        }
        #expect(mistakes == [])
    }

    @Test(
        "An error shared by many calls names the operation, the characteristic and the peripheral of each"
    )
    func naming() async {
        let first = PeripheralIdentifier(uuid: UUID(), name: "First")
        let second = PeripheralIdentifier(uuid: UUID(), name: "Second")
        let loop = MainLoop(threadName: "naming")
        let texts: [String] = await withCheckedContinuation { continuation in
            loop.post {
                let instance = Bluejay(mainLoop: loop).instance
                var texts: [String] = []
                func fail(_ reason: BluejayError, _ operation: any QueuedOperation) {
                    guard let error = instance.queue.annotate(reason, operation) as? BluejayError
                    else {
                        return
                    }
                    let number = error.characteristic?.uuid.uuidString ?? "nothing"
                    let call = error.operation?.description ?? "no call"
                    let name = error.peripheral?.name ?? "nobody"
                    texts.append("\(call) \(number) \(name) \(error.code == .cancelled)")
                }
                func read(_ number: Int) -> ReadOperation<Data> {
                    ReadOperation(
                        instance.queue.details(of: .read, characteristic(number)),
                        instance.link
                    ) { _ in }
                }
                func write(_ number: Int) -> WriteOperation {
                    let call = instance.queue.details(of: .write, characteristic(number))
                    return WriteOperation(
                        call,
                        instance.link,
                        instance.writes,
                        value: Data(),
                        type: .withResponse
                    ) { _ in }
                }
                let reason = BluejayError.cancelled
                instance.link.change { $0.attemptStarted(first) }
                fail(reason, read(1))
                fail(reason, read(1))
                fail(reason, read(2))
                fail(reason, write(2))
                fail(reason, read(1))
                fail(.stopped, read(1))
                fail(reason, read(1))
                instance.link.change { $0.attemptStarted(second) }
                fail(reason, read(1))
                continuation.resume(returning: texts)
            }
        }
        #expect(
            texts == [
                "read 0001 First true", "read 0001 First true", "read 0002 First true",
                "write 0002 First true", "read 0001 First true", "read 0001 First false",
                "read 0001 First true", "read 0001 Second true",
            ]
        )
    }
}
