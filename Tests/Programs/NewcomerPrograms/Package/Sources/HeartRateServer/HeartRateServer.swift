import BluejayAsync
import NIOCore
import NIOPosix

/// Answers each connection with the present heart rate, and connects to itself three times.
@main
struct HeartRateServer {
    static func main() async {
        await Bluejay.main(connectedToFirst: .anyService([.heartRate]), within: 20) { sensor in
            try await serve(sensor)
        }
    }

    static func serve(_ sensor: Bluejay) async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel
                    )
                }
            }
        let asking = Task { try await ask(three: server.channel.localAddress) }
        var answers = 0
        try await server.executeThenClose { connections in
            for try await connection in connections {
                let readings = sensor.values(of: .heartRateMeasurement, as: HeartRateReading.self)
                for try await reading in readings.prefix(1) {
                    try await connection.executeThenClose { _, outbound in
                        try await outbound.write(
                            ByteBuffer(string: "heart rate \(reading.beatsPerMinute)")
                        )
                    }
                }
                answers += 1
                if answers == 3 { break }
            }
        }
        try await asking.value
    }

    static func ask(three address: SocketAddress?) async throws {
        guard let address else { return }
        for _ in 0..<3 {
            let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(to: address) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                            wrappingChannelSynchronously: channel
                        )
                    }
                }
            try await client.executeThenClose { inbound, _ in
                for try await answer in inbound { print(String(buffer: answer)) }
            }
        }
    }
}
