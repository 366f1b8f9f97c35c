/// The files of a generated package.
struct GeneratedPackage {
    /// The text of each file, by its path in the folder of the package, in a fixed order.
    let files: [(path: String, text: String)]

    init(_ device: GeneratedDevice) {
        let name = device.typeName
        files = [
            ("Package.swift", Self.text(Self.manifest(name))),
            (".swift-format", Self.text(Self.format)),
            ("Sources/\(name)/\(name).swift", Self.text(ClientSource(device: device).lines)),
            (
                "Tests/\(device.testName)/\(device.twinName).swift",
                Self.text(TwinSource(device: device).lines)
            ),
            (
                "Tests/\(device.testName)/\(device.testName).swift",
                Self.text(ClientTestSource(device: device).lines)
            ),
        ]
    }

    private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

    private static let format = [
        "{", "  \"version\": 1,", "  \"lineLength\": 100,", "  \"indentation\": { \"spaces\": 4 },",
        "  \"lineBreakBeforeEachArgument\": true", "}",
    ]

    private static func manifest(_ name: String) -> [String] {
        [
            "// swift-tools-version: 6.2", "import PackageDescription", "",
            "let package = Package(", "    name: \"\(name)\",", "    products: [",
            "        .library(name: \"\(name)\", targets: [\"\(name)\"])", "    ],",
            "    dependencies: [", "        .package(path: \"../bluejay\")", "    ],",
            "    targets: [", "        .target(", "            name: \"\(name)\",",
            "            dependencies: [",
            "                .product(name: \"BluejayAsync\", package: \"bluejay\")",
            "            ]", "        ),", "        .testTarget(",
            "            name: \"\(name)Tests\",", "            dependencies: [",
            "                \"\(name)\",",
            "                .product(name: \"BluejayTesting\", package: \"bluejay\"),",
            "            ]", "        ),", "    ]", ")",
        ]
    }
}
