// swift-tools-version: 6.2

import PackageDescription

// A separate package, because the whole of it is built with `--sanitize fuzzer`; see `run`.
let package = Package(
    name: "BluejayFuzzing",
    dependencies: [.package(name: "Bluejay", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "transport-fuzzer",
            dependencies: [.product(name: "Bleu", package: "Bluejay")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                // libFuzzer has the function `main`.
                .unsafeFlags(["-parse-as-library"]),
            ]
        )
    ]
)
