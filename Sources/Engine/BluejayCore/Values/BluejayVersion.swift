/// Which Bluejay this is.
public enum BluejayVersion {
    /// The version, as [Semantic Versioning](https://semver.org) writes it; `--version` of the programs
    /// prints it, and the changelog has a heading for it.
    public static let current = "0.3.0"
}
