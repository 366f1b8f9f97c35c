/// The context of the commands that a shell runs.
enum ShellTask {
    /// The session of the shell, or `nil` outside a shell.
    @TaskLocal static var session: ToolSession?
}
