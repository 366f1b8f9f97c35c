/// An object that is created and used on one loop.
// The object is used on the loop only: that invariant justifies `@unchecked`.
package final class LoopConfined<Object: AnyObject>: @unchecked Swift.Sendable {
    package let loop: MainLoop
    private lazy var object = create()
    private let create: () -> Object

    /// Creates the object on the loop: at once there, otherwise in its next iteration.
    package init(_ loop: MainLoop, create: @escaping () -> Object) {
        self.loop = loop
        self.create = create
        perform { _ in }
    }

    /// Calls `call` on the loop: at once there, otherwise after the earlier calls of the thread.
    package func perform(_ call: @escaping (Object) -> Void) {
        loop.callOrPost { [self] in call(object) }
    }

    /// Calls `call` on the loop and returns its result; `nil` if the loop does not respond within 3 s.
    package func result<Value>(_ call: @escaping (Object) -> Value) -> Value? {
        loop.result { [self] in call(object) }
    }
}
