import Foundation

extension Date {
    /// The time of day with milliseconds in the time zone of the user: `09:05:07.250`.
    func clockTime(in calendar: Calendar = .current) -> String {
        let parts = calendar.dateComponents([.hour, .minute, .second, .nanosecond], from: self)
        func padded(_ number: Int?, _ digits: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let clock = [parts.hour, parts.minute, parts.second].map { padded($0, 2) }
        return clock.joined(separator: ":") + "." + padded((parts.nanosecond ?? 0) / 1_000_000, 3)
    }
}
