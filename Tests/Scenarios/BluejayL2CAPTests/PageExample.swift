import BluejayL2CAP
import Foundation

/// The listening side: returns each packet to the sender until the peer closes the channel.
func serve(_ host: BluetoothHost, found: @Sendable (UInt16) -> Void) async throws {
    let listener = L2CAPListener(host: host)
    found(try await listener.start())
    for await channel in listener.channels {
        for await packet in channel.received { try await channel.send(packet) }
        print("\(channel.peer) closed the channel")
        break
    }
}

/// The connecting side: opens a channel, sends the text and returns the echo.
func ask(_ peer: PeripheralIdentifier, _ psm: UInt16, _ text: Data, _ host: BluetoothHost)
    async throws -> Data
{
    try await L2CAPChannel.withChannel(to: peer, psm: psm, host: host) { channel in
        async let sending: Void = channel.send(contentsOf: text)
        var echo = Data()
        for await packet in channel.received {
            echo += packet
            if echo.count >= text.count { break }
        }
        try await sending
        return echo
    }
}
