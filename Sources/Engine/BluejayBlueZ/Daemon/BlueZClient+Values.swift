internal import BluejayDBus
internal import FoundationEssentials

extension BlueZClient {
    /// Makes a prepared call with such bytes; the reply is the message as it came.
    func call(
        _ call: PreparedValueCall,
        _ bytes: Data,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> BusCall {
        guard let connection else { return refuse { reply(.failure($0)) } }
        let id = connection.call(call, bytes, timeout: timeout, reply: reply)
        return BusCall(id: .sent(id, connection: connections))
    }
}
