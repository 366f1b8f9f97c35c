internal import BluejayTool

@main
enum BluejayProgram {
    static func main() async {
        // Before the first suspension, because Swift's runtime opens descriptors then.
        ToolProgram.reserveStandardStreams()
        await ToolProgram.main()
    }
}
