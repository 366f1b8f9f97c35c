import Bluejay
import BluejayAsync
import BluejayCommandLine
import Dispatch
import Foundation

/// A serial port over Bluetooth: what comes is printed, what is typed is sent.
@MainActor
final class UartSession {
    /// What Nordic's UART service is made of.
    nonisolated static let service = ServiceIdentifier(uuid: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    /// What is written to it.
    nonisolated static let receiver = CharacteristicIdentifier(
        uuid: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E",
        service: service
    )
    /// What it sends.
    nonisolated static let transmitter = CharacteristicIdentifier(
        uuid: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E",
        service: service
    )

    private let session: ToolSession
    private let isJSON: Bool
    private let isHexadecimal: Bool
    private var lines: UartLines

    init(
        _ session: ToolSession,
        inJSON isJSON: Bool,
        isHexadecimal: Bool,
        hasCarriageReturns: Bool
    ) {
        self.session = session
        self.isJSON = isJSON
        self.isHexadecimal = isHexadecimal
        lines = UartLines(isHexadecimal: isHexadecimal, hasCarriageReturns: hasCarriageReturns)
    }

    /// Goes on until the end of the input, and so many seconds for the answers.
    ///
    /// - Throws: ``ToolFailure`` when the link goes, or the device is no serial port.
    func run(linger seconds: Double) async throws {
        let services = try await session.services()
        let all = services.flatMap(\.characteristics)
        guard let receiver = all.first(where: { $0.identifier == Self.receiver }),
            all.contains(where: { $0.identifier == Self.transmitter })
        else {
            throw ToolFailure("the device has no Nordic UART service (\(Self.service.uuid))")
        }
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        await listen(continuation)
        var input: Task<Void, Never>?
        defer { input?.cancel() }
        for await event in events {
            switch event {
            case .listening:
                // What is sent is answered when somebody listens already.
                input = Task { await send(to: receiver, continuation) }
            case .received(let data):
                try show(data)
                await session.console.room()
            case .sentAll:
                DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { continuation.finish() }
            case .failed(let error): throw error
            }
        }
    }

    private enum Event: Sendable {
        case listening
        case received(Data)
        case sentAll
        case failed(any Error)
    }

    private func listen(_ continuation: AsyncStream<Event>.Continuation) async {
        // Else the listen would end with the connection without a word.
        session.bluejay.broadcastErrorsToListeners = true
        await session.bluejay.onLoop { bluejay in
            bluejay.listen(to: Self.transmitter) { (result: ReadResult<Data>) in
                switch result {
                case .success(let data): continuation.yield(.received(data))
                case .failure(let error): continuation.yield(.failed(error))
                }
            } installed: {
                continuation.yield(.listening)
            }
        }
    }

    private func send(
        to receiver: PeripheralCharacteristic,
        _ continuation: AsyncStream<Event>.Continuation
    ) async {
        let type: WriteType =
            receiver.properties.contains(.write) ? .withResponse : .withoutResponse
        do {
            var isOver = false
            while !isOver {
                let data = await session.input.next()
                try Task.checkCancellation()
                isOver = data == nil
                try await write(try lines.bytes(of: data), type)
            }
            continuation.yield(.sentAll)
        } catch {
            continuation.yield(.failed(error))
        }
    }

    private func write(_ bytes: Data, _ type: WriteType) async throws {
        // As much as one packet takes: serial ports know no longer writes.
        let limit = try await session.bluejay.maximumWriteValueLength(for: .withoutResponse)
        var rest = bytes
        while !rest.isEmpty {
            try await session.bluejay.write(
                to: Self.receiver,
                value: Data(rest.prefix(limit)),
                type: type
            )
            rest = rest.dropFirst(limit)
        }
    }

    private func show(_ data: Data) throws {
        let console = session.console
        if isJSON {
            try console.object(["bytes": data])
        } else if isHexadecimal {
            console.line(data.hexadecimalText)
        } else {
            console.bytes(ofPeer: data)
        }
    }
}
