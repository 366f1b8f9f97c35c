import BluejayAsync

await Bluejay.main { bluejay in
    await bluejay.setPairingHandler { _, _ in .passkey(123_456) }
    try await bluejay.withConnection(toFirst: .name("Lock"), within: 20) { lock in
        try await lock.pair()
        print("paired")
    }
}
