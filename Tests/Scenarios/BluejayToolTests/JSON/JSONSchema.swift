import Foundation
import TestSupport

/// A validator for the keywords of JSON Schema 2020-12 that the schema of the tool uses.
struct JSONSchema {
    /// A keyword or a value that the validator does not support.
    struct Unsupported: Error, Equatable {
        let keyword: String
    }

    private let root: JSONValue

    /// Parses a schema.
    ///
    /// - Throws: ``Unsupported`` if any part of it needs a keyword that this validator does not have.
    init(_ text: String) throws {
        root = try JSONValue(text)
        try Self.check(root)
    }

    static func ofTool() throws -> JSONSchema {
        let file = repositoryFile("Documentation/bluejay-output.schema.json")
        return try JSONSchema(String(contentsOf: file, encoding: .utf8))
    }

    private static func check(_ schema: JSONValue) throws {
        if case .bool = schema { return }
        guard case .object(let keywords) = schema else { throw Unsupported(keyword: schema.type) }
        for (keyword, value) in keywords {
            switch keyword {
            case "$schema", "title", "description", "type", "const", "enum", "required", "$ref",
                "pattern", "minLength", "minimum", "maximum":
                continue
            case "additionalProperties", "items": try check(value)
            case "properties", "$defs":
                guard case .object(let schemas) = value else { throw Unsupported(keyword: keyword) }
                try schemas.values.forEach(check)
            case "oneOf":
                guard case .array(let schemas) = value else { throw Unsupported(keyword: keyword) }
                try schemas.forEach(check)
            default: throw Unsupported(keyword: keyword)
            }
        }
    }

    /// Returns the reasons why a line does not match; empty for a valid line.
    func problems(in line: String) throws -> [String] {
        try problems(try JSONValue(line), root, "")
    }

    private func problems(_ value: JSONValue, _ schema: JSONValue, _ path: String) throws
        -> [String]
    {
        switch schema {
        case .bool(let isAllowed): return isAllowed ? [] : ["\(path) is not allowed"]
        case .object(let keywords):
            return try keywords.sorted { $0.key < $1.key }.flatMap {
                try problems(value, $0.key, $0.value, schema, path)
            }
        default: throw Unsupported(keyword: schema.type)
        }
    }

    private func problems(
        _ value: JSONValue,
        _ keyword: String,
        _ limit: JSONValue,
        _ schema: JSONValue,
        _ path: String
    ) throws -> [String] {
        func require(_ isValid: Bool) -> [String] {
            isValid ? [] : ["\(path) \(value) breaks \(keyword) \(limit)"]
        }
        switch (keyword, limit, value) {
        case ("$schema", _, _), ("$defs", _, _), ("title", _, _), ("description", _, _): return []
        case ("$ref", .string(let reference), _):
            let name = reference.replacing("#/$defs/", with: "")
            guard let target = root["$defs"]?[name] else { throw Unsupported(keyword: reference) }
            return try problems(value, target, path)
        case ("oneOf", .array(let schemas), _):
            let found = try schemas.map { try problems(value, $0, path) }
            let matches = found.count { $0.isEmpty }
            // The kind with the fewest problems is the intended one.
            let nearest = found.min { $0.count < $1.count } ?? []
            return matches == 1 ? [] : ["\(path) matches \(matches) kinds"] + nearest
        case ("type", .string("integer"), .number(let number)):
            return require(number == number.rounded())
        case ("type", .string(let type), _): return require(value.type == type)
        case ("const", _, _): return require(value == limit)
        case ("enum", .array(let values), _): return require(values.contains(value))
        case ("pattern", .string(let pattern), .string(let text)):
            return require(text.contains(try Regex(pattern)))
        case ("minLength", .number(let length), .string(let text)):
            return require(Double(text.unicodeScalars.count) >= length)
        case ("minimum", .number(let least), .number(let number)): return require(number >= least)
        case ("maximum", .number(let most), .number(let number)): return require(number <= most)
        case ("items", _, .array(let items)):
            return try items.enumerated().flatMap {
                try problems($0.element, limit, "\(path)/\($0.offset)")
            }
        case ("required", .array(let keys), .object(let object)):
            return keys.flatMap { key in
                guard case .string(let key) = key, object[key] == nil else { return [String]() }
                return ["\(path)/\(key) is missing"]
            }
        case ("properties", .object(let schemas), .object(let object)):
            return try schemas.sorted { $0.key < $1.key }.flatMap { key, schema in
                try object[key].map { try problems($0, schema, "\(path)/\(key)") } ?? []
            }
        case ("additionalProperties", _, .object(let object)):
            return try object.sorted { $0.key < $1.key }.flatMap { key, value in
                schema["properties"]?[key] == nil
                    ? try problems(value, limit, "\(path)/\(key)") : []
            }
        // A keyword for another type of value has no effect.
        case ("pattern", .string, _), ("minLength", .number, _), ("minimum", .number, _),
            ("maximum", .number, _), ("items", _, _), ("required", .array, _),
            ("properties", .object, _), ("additionalProperties", _, _):
            return []
        default: throw Unsupported(keyword: keyword)
        }
    }
}
