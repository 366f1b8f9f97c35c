/// Carries a value to the context that it is confined to.
// Nobody touches the value between here and there: that is the invariant behind `@unchecked`.
package struct Confined<Value>: @unchecked Swift.Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}
