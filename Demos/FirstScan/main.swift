import BluejayAsync

await Bluejay.main { bluejay in
    for try await discovery in bluejay.scan(duration: 5) {
        print(discovery)
    }
}
