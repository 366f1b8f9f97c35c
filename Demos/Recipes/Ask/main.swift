import BluejayAsync

await Bluejay.main(connectedToFirst: .name("Port"), within: 20) { port in
    let answer = try await port.ask("FFE1", writing: UInt8(0x10), as: UInt8.self, within: 2)
    print("answered \(answer)")
}
