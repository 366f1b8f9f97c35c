internal import BluejayTool

@main
enum BluejayProgram {
    static func main() async { await ToolProgram.main() }
}
