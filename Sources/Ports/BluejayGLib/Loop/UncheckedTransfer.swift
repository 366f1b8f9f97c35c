/// Carries a value to the context that it is confined to.
// No thread uses the value on the way: that invariant justifies `@unchecked`.
package struct UncheckedTransfer<Value>: @unchecked Swift.Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}
