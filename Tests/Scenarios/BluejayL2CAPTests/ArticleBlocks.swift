import BluejayL2CAP
import Foundation

/// Sends each packet back to the peer that opened the channel.
final class Echo {
    private let listener: L2CAPListener
    private var channels: [L2CAPChannel] = []

    init(_ host: BluetoothHost, started: @escaping (Result<UInt16, any Error>) -> Void) {
        listener = L2CAPListener(host: host)
        listener.onChannel = { [weak self] in self?.answer($0) }
        listener.start(completion: started)
    }

    private func answer(_ channel: L2CAPChannel) {
        channels.append(channel)
        channel.onReceive = { [weak channel] packet in
            channel?.send(packet) { result in
                if case .failure(let error) = result { print(error) }
            }
        }
        channel.onEnd = { [weak self, weak channel] _ in
            self?.channels.removeAll { $0 === channel }
        }
    }
}

/// The other side of the article.
func askEcho(
    of peer: PeripheralIdentifier,
    _ psm: UInt16,
    _ host: BluetoothHost,
    print: @escaping (Any) -> Void
) {
    let channel = L2CAPChannel(to: peer, psm: psm, host: host)
    channel.onReceive = { packet in
        print("received \(packet.count) bytes")
        channel.close()
    }
    channel.open(timeout: .seconds(10)) { result in
        if case .failure(let error) = result { return print(error) }
        channel.send(Data("log".utf8)) { result in
            if case .failure(let error) = result { print(error) }
        }
    }
}

/// The first page of the module.
func showPackets(
    of sensor: PeripheralIdentifier,
    _ host: BluetoothHost,
    print: (Any) -> Void
) async throws {
    try await L2CAPChannel.withChannel(to: sensor, psm: 0x80, host: host) { channel in
        try await channel.send(Data("log".utf8))
        for await packet in channel.received.prefix(1) { print("\(packet.count) bytes") }
    }
}
