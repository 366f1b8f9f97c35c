import Bluejay
import BluejayAsync
import Foundation

/// Sends a firmware in packets without response, then a confirmed write.
func update(
    _ bluejay: Bluejay,
    to firmware: Data,
    data: CharacteristicIdentifier,
    control: CharacteristicIdentifier
) async throws {
    let size = try await bluejay.maximumWriteValueLength(for: .withoutResponse)
    var rest = firmware
    while !rest.isEmpty {
        let packet = rest.prefix(size)
        try await bluejay.write(to: data, value: packet, type: .withoutResponse)
        rest.removeFirst(packet.count)
    }
    // This write cannot overtake the packets.
    try await bluejay.write(to: control, value: UInt8(1))
}

/// Sums the values of a sensor that sends many times a second.
func sum(_ bluejay: Bluejay, of samples: CharacteristicIdentifier, count: Int) async throws -> Int {
    var sum = 0
    var left = count
    for try await sample in bluejay.values(of: samples, as: UInt8.self, through: .socket) {
        sum += Int(sample)
        left -= 1
        if left == 0 { break }
    }
    return sum
}
