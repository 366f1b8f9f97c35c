/// The version of Bluejay.
public enum BluejayVersion {
    /// The version in the form of [Semantic Versioning](https://semver.org).
    ///
    /// The programs print it for `--version`, and the changelog has a heading for it.
    public static let current = "0.3.0"
}
