//! Values against the schemas of docs/schemas, in the part of JSON Schema 2020-12 that these use.
//!
//! A keyword that is not known here is an error of the test, so that nothing of a schema goes unchecked. Every
//! object says whether it may have other fields.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const SAY_ONLY: [&str; 6] = [
    "$schema",
    "$id",
    "$defs",
    "title",
    "description",
    "$comment",
];

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas")
}

/// The schema of a file such as `plan.json`.
pub fn schema(file: &str) -> Value {
    let path = folder().join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// What is wrong with a value, if anything is; `file` names its schema.
pub fn conforms(value: &Value, file: &str) -> Result<(), String> {
    Schema {
        file,
        all: &schema(file),
    }
    .check(value, &schema(file), "$")
}

struct Schema<'a> {
    file: &'a str,
    all: &'a Value,
}

impl Schema<'_> {
    fn check(&self, value: &Value, schema: &Value, at: &str) -> Result<(), String> {
        let Some(keywords) = schema.as_object() else {
            return match schema.as_bool() {
                Some(true) => Ok(()),
                _ => Err(format!("{at}: nothing may stand here, not {value}")),
            };
        };
        for (keyword, asked) in keywords {
            let wrong = |why: String| Err(format!("{at}: {why}, not {value}"));
            match &**keyword {
                "type" => {
                    let types = match asked {
                        Value::Array(all) => all.iter().collect(),
                        one => vec![one],
                    };
                    if !types.iter().any(|t| is(value, t.as_str().expect("a type"))) {
                        return wrong(format!("{asked} should stand here"));
                    }
                }
                "const" if asked != value => return wrong(format!("{asked} should stand here")),
                "enum" if !asked.as_array().expect("an array").contains(value) => {
                    return wrong(format!("one of {asked} should stand here"));
                }
                "minimum" if value.as_f64() < asked.as_f64() => {
                    return wrong(format!("at least {asked} should stand here"));
                }
                "const" | "enum" | "minimum" => {}
                "required" => {
                    for name in asked.as_array().into_iter().flatten() {
                        let name = name.as_str().expect("a name");
                        if value.as_object().is_some_and(|o| !o.contains_key(name)) {
                            return Err(format!("{at}: `{name}` is missing"));
                        }
                    }
                }
                "properties" => assert!(
                    schema.get("additionalProperties").is_some(),
                    "{}: an object at {at} does not say whether it has other fields",
                    self.file
                ),
                "additionalProperties" => self.fields(value, schema, asked, at)?,
                "items" => {
                    let skip = schema["prefixItems"].as_array().map_or(0, Vec::len);
                    for (i, item) in value
                        .as_array()
                        .into_iter()
                        .flatten()
                        .enumerate()
                        .skip(skip)
                    {
                        self.check(item, asked, &format!("{at}[{i}]"))?;
                    }
                }
                "prefixItems" => {
                    let asked = asked.as_array().into_iter().flatten();
                    for (i, (item, asked)) in value
                        .as_array()
                        .into_iter()
                        .flatten()
                        .zip(asked)
                        .enumerate()
                    {
                        self.check(item, asked, &format!("{at}[{i}]"))?;
                    }
                }
                "minItems" => {
                    if value
                        .as_array()
                        .is_some_and(|a| (a.len() as u64) < asked.as_u64().unwrap())
                    {
                        return wrong(format!("at least {asked} should stand here"));
                    }
                }
                "oneOf" => {
                    let asked = asked.as_array().expect("an array");
                    let fit = asked.iter().filter(|s| self.check(value, s, at).is_ok());
                    if fit.count() != 1 {
                        return wrong(format!("exactly one of {} forms fits", asked.len()));
                    }
                }
                "$ref" => self.follow(value, asked.as_str().expect("a place"), at)?,
                other => assert!(SAY_ONLY.contains(&other), "{}: keyword {other}", self.file),
            }
        }
        Ok(())
    }

    fn fields(&self, value: &Value, schema: &Value, other: &Value, at: &str) -> Result<(), String> {
        for (name, field) in value.as_object().into_iter().flatten() {
            let known = schema.get("properties").and_then(|p| p.get(name));
            self.check(field, known.unwrap_or(other), &format!("{at}.{name}"))?;
        }
        Ok(())
    }

    /// `#/$defs/step` of this file, or `trace.json#/$defs/step` of another.
    fn follow(&self, value: &Value, place: &str, at: &str) -> Result<(), String> {
        let (file, pointer) = place.split_once('#').unwrap_or((place, ""));
        let get = |all: &Value| {
            let found = all.pointer(pointer).cloned();
            found.unwrap_or_else(|| panic!("{}: there is no {place}", self.file))
        };
        match file {
            "" => self.check(value, &get(self.all), at),
            file => {
                let all = schema(file);
                Schema { file, all: &all }.check(value, &get(&all), at)
            }
        }
    }
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("a schema has the type {other}"),
    }
}
