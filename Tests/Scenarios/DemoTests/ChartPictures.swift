import Testing

/// A terminal's view of the scene of `ChartScreenTests`.
struct ChartPicture: CustomTestStringConvertible {
    let columns: Int
    let rows: Int
    let text: String

    var testDescription: String { "\(columns)x\(rows)" }

    static let all = [
        ChartPicture(columns: 80, rows: 24, text: medium),
        ChartPicture(columns: 40, rows: 15, text: small),
        ChartPicture(columns: 120, rows: 40, text: large),
        ChartPicture(columns: 20, rows: 5, text: tiny),
    ]

    private static let medium = """
        ♥ 75 beats a minute                                               Bluejay Heart
        connected to Bluejay Heart (00:AA:01:01:00:01)
            │
            │
            │
        100 ┤
            │
            │
            │
            │                                               ╭─
         90 ┤                                           ╭───╯
            │                                       ╭───╯
            │                                   ╭───╯                   ──╮
            │                               ╭───╯                         │
            │                           ╭───╯                             │
         80 ┤                       ╭───╯                                 ╰──╮
            │                   ╭───╯                                        │
            │               ╭───╯                                            ╰─╮    ●
            │           ╭───╯                                                  ╰────╯
            │         ──╯
         70 ┤
            └───┬─────────┬─────────┬─────────┬─────────┬─────────┬─────────┬─────────┬
              -70 s     -60 s     -50 s     -40 s     -30 s     -20 s     -10 s     now
        """

    private static let small = """
        ♥ 75 beats a minute       Bluejay Heart
        connected to Bluejay Heart (00:AA:01:01
            │
        110 ┤
            │
        100 ┤
            │
         90 ┤ ╭───────
            │─╯                 ──╮
         80 ┤                     ╰──╮
            │                        ╰──────●
         70 ┤
            └───┬─────────┬─────────┬─────────┬
              -30 s     -20 s     -10 s     now
        """

    private static let tiny = """
        ♥ 75 beats a minute
        100 ┤
         80 ┤───────────●
         60 ┤
        """

    private static let large = """
        ♥ 75 beats a minute                                                                                       Bluejay Heart
        connected to Bluejay Heart (00:AA:01:01:00:01)
            │
            │
            │
            │
        100 ┤
            │
            │
            │
            │
         95 ┤
            │
            │
            │
            │                                                                                       ╭─
         90 ┤                                                                                     ╭─╯
            │                                                                                   ╭─╯
            │                                                                                 ╭─╯
            │                                                                               ╭─╯
            │                                                                             ╭─╯
         85 ┤                                                                           ╭─╯                     ──╮
            │                                                                         ╭─╯                         │
            │                                                                       ╭─╯                           │
            │                                                                     ╭─╯                             │
            │                                                                   ╭─╯                               │
         80 ┤                                                                 ╭─╯                                 ╰──╮
            │                                                               ╭─╯                                      │
            │                                                             ╭─╯                                        │
            │                                                           ╭─╯                                          │
            │                                                         ╭─╯                                            ╰─╮
         75 ┤                                                       ╭─╯                                                │    ●
            │                                                     ╭─╯                                                  │    │
            │                                                   ╭─╯                                                    ╰────╯
            │                                                 ──╯
            │
         70 ┤
            └───┬─────────┬─────────┬─────────┬─────────┬─────────┬─────────┬─────────┬─────────┬─────────┬─────────┬─────────┬
             -110 s    -100 s     -90 s     -80 s     -70 s     -60 s     -50 s     -40 s     -30 s     -20 s     -10 s     now
        """
}
