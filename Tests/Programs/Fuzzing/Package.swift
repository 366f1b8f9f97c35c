// swift-tools-version: 6.2

import PackageDescription

// A separate package, because `run` builds all of it with `--sanitize fuzzer`.
let package = Package(
    name: "BluejayFuzzing",
    dependencies: [.package(name: "Bluejay", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "transport-fuzzer",
            dependencies: [.product(name: "Bleu", package: "Bluejay")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                // libFuzzer provides the function `main`.
                .unsafeFlags(["-parse-as-library"]),
            ]
        )
    ]
)
