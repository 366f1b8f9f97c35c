import Bluejay
import DemoSupport
import Foundation

/// Where the demo shows what it measures.
protocol HeartRateDisplay {
    /// Shows one measurement.
    func show(_ reading: HeartRateReading, from peripheral: PeripheralIdentifier?)
    /// Says what is going on.
    func status(_ text: String)
    /// Leaves the terminal as it was.
    func finish()
}
