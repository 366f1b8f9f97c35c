/// The default time limits of the calls of one instance.
///
/// A call looks up its limit when its turn comes, so the owners share this object.
final class CallTimeouts {
    var defaults = DefaultTimeouts()

    func duration(_ timeout: Timeout, for call: @autoclosure () -> BluejayError.Call) -> Duration? {
        defaults.duration(timeout, for: call())
    }
}
