import BluejayL2CAP
import CallbackStage
import Foundation

extension Owner {
    func beginChannels() {
        listener.onChannel = { channel in
            self.count("L2CAPListener.onChannel")
            channel.onReceive = { _ in self.count("L2CAPChannel.onReceive") }
            channel.onEnd = { _ in self.count("L2CAPChannel.onEnd") }
            self.accepted.append(channel)
        }
        listener.onEnd = { _ in self.count("L2CAPListener.onEnd") }
        listener.start { result in
            if let psm = try? result.get() { self.stage.setPSM(psm) }
            self.ended("start.completion")
        }
        begin(["start.completion": 1])
    }

    func playChannels() {
        let channel = channel ?? openChannel()
        for number: UInt8 in 0..<50 {
            channel.send(Data([number])) { _ in self.ended("send.completion") }
        }
        channel.send(contentsOf: Data(repeating: 7, count: 5_000)) { _ in
            self.count("send.progress")
        } completion: { _ in
            self.ended("send.completion")
        }
        channel.flush { _ in self.ended("flush.completion") }
        begin(["send.completion": 51, "flush.completion": 1])
        guard number.isMultiple(of: 3) else { return }
        for channel in accepted + [channel] {
            channel.close { self.ended("close.completion") }
            begin(["close.completion": 1])
        }
        self.channel = nil
        accepted = []
    }

    private func openChannel() -> L2CAPChannel {
        let channel = L2CAPChannel(
            to: stage.gadgetIdentifier,
            psm: 0x80,
            host: stage.host("hci0")
        )
        channel.onReceive = { _ in self.count("L2CAPChannel.onReceive") }
        channel.onEnd = { _ in self.count("L2CAPChannel.onEnd") }
        channel.open { _ in self.ended("open.completion") }
        begin(["open.completion": 1])
        self.channel = channel
        return channel
    }
}
