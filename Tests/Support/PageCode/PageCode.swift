import Foundation
import PackagePlugin

/// Generates a Swift file from each template of a test target: code around blocks of the pages.
///
/// `Tests/Support/PageCode/generate` describes a template.
@main
struct PageCode: BuildToolPlugin {
    private static let suffix = ".swift.in"

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL
        let generator = root.appending(path: "Tests/Support/PageCode/generate")
        let folder = target.directoryURL
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try names.sorted().filter { $0.hasSuffix(Self.suffix) }.map { name in
            let template = folder.appending(path: name)
            let output = context.pluginWorkDirectoryURL.appending(
                path: template.deletingPathExtension().lastPathComponent
            )
            return .buildCommand(
                displayName: "Generating \(output.lastPathComponent)",
                executable: generator,
                arguments: [root.path, template.path, output.path],
                inputFiles: [generator, template] + (try pages(of: template, root)),
                outputFiles: [output]
            )
        }
    }

    /// The pages whose blocks a template names.
    private func pages(of template: URL, _ root: URL) throws -> [URL] {
        let lines = try String(contentsOf: template, encoding: .utf8).split(separator: "\n")
        let names = lines.compactMap { line -> Substring? in
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("//= ") else { return nil }
            return text.dropFirst(4).prefix { $0 != " " }
        }
        return Set(names).sorted().map { root.appending(path: String($0)) }
    }
}
