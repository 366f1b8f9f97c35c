import Foundation
import Testing

@testable import BluejayTool

@Suite("The time of a value")
struct ClockTimeTests {
    @Test("A time of day has two digits for each part, and milliseconds")
    func clockTime() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 3600))
        let morning = Date(timeIntervalSince1970: 8 * 3600 + 5 * 60 + 7.25)
        #expect(morning.clockTime(in: calendar) == "09:05:07.250")
        #expect(Date(timeIntervalSince1970: 0).clockTime(in: calendar) == "01:00:00.000")
    }
}
