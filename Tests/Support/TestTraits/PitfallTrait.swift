package import Testing

/// Names the pitfalls that a test covers, for `.ci/reliability`.
package struct PitfallTrait: TestTrait {
    package let pitfalls: [Pitfall]
}

extension Trait where Self == PitfallTrait {
    /// The test shows the behaviour of BlueZ, or how the library handles it.
    package static func pitfall(_ pitfalls: Pitfall...) -> Self { Self(pitfalls: pitfalls) }
}
