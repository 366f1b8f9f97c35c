import BluejayAsync

await Bluejay.main { bluejay in
    for try await discovery in bluejay.scan(duration: 10) {
        print(discovery)
    }
}
