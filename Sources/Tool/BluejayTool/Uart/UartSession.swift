import Bluejay
import BluejayAsync
import BluejayCommandLine
import Dispatch
import Foundation

/// A serial port over Bluetooth: prints received data and sends typed lines.
@MainActor
final class UartSession {
    nonisolated static let service = ServiceIdentifier(uuid: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    /// The characteristic to write to.
    nonisolated static let receiver = CharacteristicIdentifier(
        uuid: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E",
        service: service
    )
    /// The characteristic that sends data.
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

    /// Runs until the end of the input, and this time longer for replies.
    ///
    /// - Throws: ``ToolFailure`` if the link is lost or the device has no UART service.
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
                // The device may answer immediately, so sending waits for the subscription.
                input = Task { await send(to: receiver, continuation) }
            case .received(let data):
                try show(data)
                await session.console.waitForRoom()
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
        // Otherwise the listen would end silently with the connection.
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
            var isAtEnd = false
            while !isAtEnd {
                let data = await session.input.next()
                try Task.checkCancellation()
                isAtEnd = data == nil
                try await write(try lines.bytes(of: data), type)
            }
            continuation.yield(.sentAll)
        } catch {
            continuation.yield(.failed(error))
        }
    }

    private func write(_ bytes: Data, _ type: WriteType) async throws {
        // At most one packet: serial ports do not support long writes.
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
            try session.record(SerialJSON(value: data))
        } else if isHexadecimal {
            console.line(data.hexadecimalText)
        } else {
            console.bytes(ofPeer: data)
        }
    }
}
