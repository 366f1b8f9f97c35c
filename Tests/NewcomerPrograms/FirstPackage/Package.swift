// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "heart",
    dependencies: [
        .package(url: "https://example.org/bluejay", branch: "main")  // where you cloned it from
    ],
    targets: [
        .executableTarget(
            name: "heart",
            dependencies: [.product(name: "Bluejay", package: "bluejay")]  // and its last part
        )
    ]
)
