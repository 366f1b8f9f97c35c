import BluejayL2CAP
import Foundation

await BluetoothHost.main { host in
    let file = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
    let peer = try PeripheralIdentifier(address: CommandLine.arguments[2])
    try await L2CAPChannel.withChannel(to: peer, psm: 0x80, host: host) { channel in
        try await channel.send(contentsOf: file)
        print("sent \(file.count) bytes")
    }
}
