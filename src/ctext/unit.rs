//! A C file beside a loop program: what stands above the function, the function, what stands below.
//!
//! Each piece of the file is known, is a type of vectors, is of the interface, or is the function; anything else is not read.

use super::known::{Known, TABLE};
use super::lex::{plain, tokens, Token, Unread};
use super::parse::{Parser, Part, Signature};
use super::pieces::{pieces, Piece};
use super::scope::is_taken;
use super::stop::{Difference, Stop};
use super::types::{c_name, is_type, shape};
use super::walk::{check_signature, Walk};
use crate::nest::{ErrorCode, Nest};
use std::collections::{BTreeMap, BTreeSet};

/// What was read of a file so far.
#[derive(Default)]
pub struct Unit {
    /// What is declared: functions, macros, types, files that are included.
    pub names: BTreeSet<String>,
    /// Types whose size is asserted.
    asserted: BTreeSet<String>,
    pub codes: BTreeMap<String, i32>,
    /// The header that is included.
    pub header: Option<String>,
    /// Whether the function is declared.
    pub declared: bool,
    compared: BTreeSet<String>,
    /// Functions that others call, and those that were called.
    parts: BTreeMap<String, Part>,
    called: BTreeSet<String>,
    loops: bool,
    /// Whether something that is compiled stands above.
    code: bool,
}

pub type Read<T = ()> = Result<T, Stop>;

pub fn differs<T>(line: u32, what: impl Into<String>) -> Read<T> {
    let (what, loops) = (what.into(), "the loop program as a whole".to_string());
    Err(Stop::Differs(Difference {
        line,
        in_header: false,
        loops,
        what,
    }))
}

pub fn unread<T>(line: u32, what: impl Into<String>) -> Read<T> {
    Err(Stop::Unread(Unread::new(line, what)))
}

/// What begins options of a compiler, and what ends them.
const OPTIONS: [&str; 2] = ["(loops-aligned)", "(no-contraction)"];
const OPTIONS_END: &str = "(options-end)";

/// `#include <…>` that change nothing.
const INCLUDES: [&str; 4] = ["stdbool.h", "stdint.h", "stdlib.h", "math.h"];

/// The constants of a header and the names of a file; then the function.
pub fn source(text: &str, nest: &Nest, header: Option<&BTreeMap<String, i32>>) -> Read<Unit> {
    let all = tokens(text).map_err(Stop::Unread)?;
    let all = pieces(&all).map_err(Stop::Unread)?;
    let mut unit = Unit::default();
    for piece in &all {
        unit.piece(piece, nest, header)?;
    }
    let end = text.lines().count() as u32;
    for f in nest.fallback.as_deref().into_iter().chain([nest]) {
        if !unit.compared.contains(&f.abi.name) {
            return differs(end, format!("the function `{}` is missing", f.abi.name));
        }
    }
    unit.finished(end)?;
    Ok(unit)
}

impl Unit {
    fn piece(
        &mut self,
        piece: &Piece,
        nest: &Nest,
        header: Option<&BTreeMap<String, i32>>,
    ) -> Read {
        let known = TABLE.find(piece);
        self.options(piece, known.as_ref())?;
        if let Some(known) = known {
            for need in &known.needs {
                let met =
                    self.names.contains(need) || self.names.contains(&format!("#include <{need}>"));
                if !met {
                    return differs(piece.line(), format!("`{need}` is missing above it"));
                }
            }
            for name in known.names {
                let several = name.starts_with("(warnings");
                if !self.names.insert(name.clone()) && !several {
                    return differs(piece.line(), format!("`{name}` stands there twice"));
                }
            }
            return Ok(());
        }
        match piece {
            Piece::Directive(t) => self.directive(t),
            Piece::Group(t) => unread(piece.line(), format!("`{}` is not known", shortened(t))),
            Piece::Declaration(t) => self.declaration(t, nest),
            Piece::Function(t) => self.function(t, nest, header),
        }
    }

    /// Options of a compiler are those of what stands between their begin and their end: all that is compiled.
    fn options(&mut self, piece: &Piece, known: Option<&Known>) -> Read {
        let t = piece.tokens();
        let is = |name: &&&str| known.is_some_and(|k| k.names.iter().any(|n| n == **name));
        let begin = OPTIONS.iter().find(is).filter(|_| self.code);
        if let Some(name) = begin {
            return differs(
                piece.line(),
                format!("`{name}` stands behind what it is for"),
            );
        }
        // An enumeration is no code.
        let code = t.iter().any(|t| t.text == "{") && t.first().is_some_and(|t| t.text != "enum");
        if code && self.names.contains(OPTIONS_END) {
            return differs(piece.line(), format!("code stands behind `{OPTIONS_END}`"));
        }
        self.code |= code;
        Ok(())
    }

    fn directive(&mut self, t: &[Token]) -> Read {
        let line = t.first().map_or(1, |t| t.line);
        let words: Vec<&str> = t.iter().map(|t| t.text).collect();
        match &words[..] {
            ["#", "include", "<", name @ .., ">"] => {
                let name = name.concat();
                if !INCLUDES.contains(&&*name) {
                    return unread(line, format!("`{name}` is not known"));
                }
                self.names.insert(format!("#include <{name}>"));
                Ok(())
            }
            ["#", "include", name] if name.starts_with('"') && self.header.is_none() => {
                self.header = Some(name.trim_matches('"').to_string());
                Ok(())
            }
            _ => unread(line, format!("`{}` is not known", shortened(t))),
        }
    }

    pub fn declaration(&mut self, t: &[Token], nest: &Nest) -> Read {
        let line = t.first().map_or(1, |t| t.line);
        match t.first().map_or("", |t| t.text) {
            "enum" => {
                for (name, code) in enumeration(t)? {
                    if self.codes.insert(name, code).is_some() {
                        return differs(line, "a code is declared twice");
                    }
                }
                Ok(())
            }
            "typedef" => self.vector_type(t),
            "_Static_assert" => self.assertion(t),
            "int" => {
                let mut parser = Parser::new(t, &is_type);
                let signature = parser
                    .signature()
                    .and_then(|s| parser.semicolon().map(|()| s));
                let signature = signature
                    .and_then(|s| parser.end().map(|()| s))
                    .map_err(Stop::Unread)?;
                check_signature(nest, &signature).or_else(|what| differs(line, what))?;
                self.declared = true;
                Ok(())
            }
            _ => unread(line, format!("`{}` is not known", shortened(t))),
        }
    }

    /// `typedef float f32x8 __attribute__((vector_size(32)));`
    fn vector_type(&mut self, t: &[Token]) -> Read {
        let line = t.first().map_or(1, |t| t.line);
        let Some(name) = t.get(2).map(|t| t.text) else {
            return unread(line, "a type has no name");
        };
        let value = name.strip_suffix("_mem");
        let Some(s) = shape(value.unwrap_or(name)).filter(|s| s.lanes > 1) else {
            return unread(line, format!("the type `{name}` is not known"));
        };
        let (bytes, size) = (s.elem.bytes(), s.elem.bytes() * u64::from(s.lanes));
        // In memory elements lie as in an array, whatever else they are read as.
        let more = match value {
            Some(_) => format!(", aligned({bytes}), may_alias"),
            None => String::new(),
        };
        let expected = format!(
            "typedef {} {name} __attribute__((vector_size({size}){more}));",
            c_name(s.elem)
        );
        let expected = tokens(&expected).map_err(Stop::Unread)?;
        if plain(&expected) != plain(t) {
            return differs(line, format!("`{name}` is another type than its name says"));
        }
        match self.names.insert(name.to_string()) {
            true => Ok(()),
            false => differs(line, format!("`{name}` stands there twice")),
        }
    }

    /// Compilers that do not know vectors are found out.
    fn assertion(&mut self, t: &[Token]) -> Read {
        let line = t.first().map_or(1, |t| t.line);
        let name = t.get(4).map_or("", |t| t.text);
        let size = shape(name).map_or(0, |s| s.elem.bytes() * u64::from(s.lanes));
        let expected =
            format!("_Static_assert(sizeof({name}) == {size}, \"vectors of this compiler\");");
        let same = tokens(&expected).is_ok_and(|e| plain(&e) == plain(t));
        self.asserted.insert(name.to_string());
        match same {
            true => Ok(()),
            false => differs(line, "another size is asserted"),
        }
    }

    fn function(
        &mut self,
        t: &[Token],
        nest: &Nest,
        header: Option<&BTreeMap<String, i32>>,
    ) -> Read {
        let line = t.first().map_or(1, |t| t.line);
        let mut parser = Parser::new(t, &is_type);
        let signature = match parser.signature() {
            Ok(s) => s,
            Err(_) => return unread(line, format!("`{}` is not known", shortened(t))),
        };
        if signature.is_expanded && !self.names.contains("EXPANDED") {
            return differs(line, "`EXPANDED` is missing above it");
        }
        if signature.is_static && signature.result.name == "void" {
            return self.part(parser, signature, t);
        }
        let fallback = nest
            .fallback
            .as_deref()
            .filter(|f| f.abi.name == signature.name);
        let of = match (fallback, signature.name == nest.abi.name) {
            (Some(f), _) => f,
            (None, true) => nest,
            _ => {
                return unread(
                    line,
                    format!("the function `{}` is not known", signature.name),
                )
            }
        };
        if signature.is_static != fallback.is_some() {
            return differs(
                line,
                "whether the function can be called from outside differs",
            );
        }
        if let (Some(other), false) = (&of.fallback, fallback.is_some()) {
            if !self.compared.contains(&other.abi.name) {
                return differs(line, "the function that it calls is missing above it");
            }
        }
        let body = parser.block().map_err(Stop::Unread)?;
        parser.end().map_err(Stop::Unread)?;
        let end = t.last().map_or(line, |t| t.line);
        self.compare(of, &signature, header, |walk| walk.body(&body, end), line)?;
        match self.compared.insert(signature.name) {
            true => Ok(()),
            false => differs(line, "the function stands there twice"),
        }
    }

    /// It is compared where it is called.
    fn part(&mut self, mut parser: Parser, signature: Signature, t: &[Token]) -> Read {
        let line = t.first().map_or(1, |t| t.line);
        let body = parser.block().map_err(Stop::Unread)?;
        parser.end().map_err(Stop::Unread)?;
        let part = Part {
            body,
            end: t.last().map_or(line, |t| t.line),
            signature,
        };
        let name = part.signature.name.clone();
        let plain = part.signature.result.pointer.is_none() && !part.signature.result.is_const;
        if !plain || is_taken(&name) || self.parts.insert(name.clone(), part).is_some() {
            return unread(line, format!("the function `{name}` is not known"));
        }
        Ok(())
    }

    fn compare(
        &mut self,
        nest: &Nest,
        signature: &Signature,
        header: Option<&BTreeMap<String, i32>>,
        body: impl FnOnce(&mut Walk) -> Read,
        line: u32,
    ) -> Read {
        // Without a header its constants are those of the loop program, by their names.
        let own = constants(&nest.abi.errors);
        let codes = match (header, self.codes.is_empty()) {
            (Some(codes), _) => codes.clone(),
            (None, false) => self.codes.clone(),
            (None, true) if self.header.is_some() => own,
            (None, true) => BTreeMap::new(),
        };
        let mut walk = Walk::new(nest, &codes, &self.parts);
        walk.signature(signature, line)?;
        body(&mut walk)?;
        for need in walk.scope.needed() {
            if !self.names.contains(need) {
                return differs(line, format!("`{need}` is missing above the function"));
            }
        }
        self.loops |= walk.loops;
        self.called.extend(walk.called);
        Ok(())
    }

    fn finished(&self, end: u32) -> Read {
        let has = |name: &str| self.names.contains(name);
        let any = |prefix: &str| self.names.iter().any(|n| n.starts_with(prefix));
        if self.loops && !has("(loops-aligned)") {
            return differs(end, "loops are not aligned");
        }
        if let Some(name) = self.parts.keys().find(|n| !self.called.contains(*n)) {
            return differs(end, format!("nothing calls the function `{name}`"));
        }
        if has("(no-contraction)") != has("(wide-floats-refused)") {
            return differs(end, "contraction is forbidden in part only");
        }
        let opened = has("(loops-aligned)") || has("(no-contraction)");
        if opened != has("(options-end)") || has("(warnings)") != has("(warnings-end)") {
            return differs(end, "what is switched above is not switched back below");
        }
        let vectors = self
            .names
            .iter()
            .filter(|n| shape(n).is_some_and(|s| s.lanes > 1));
        if let Some(name) = vectors.clone().find(|n| !self.asserted.contains(*n)) {
            return differs(end, format!("the size of `{name}` is not asserted"));
        }
        if let Some(name) = self.asserted.iter().find(|n| !has(n)) {
            return differs(end, format!("`{name}` is no type"));
        }
        if self.header.is_none()
            && !(any("#include <stdint") && any("#include <stdbool") && self.declared)
        {
            return differs(
                end,
                "the function is not declared, neither in the file nor in a header",
            );
        }
        Ok(())
    }
}

/// What the codes of a loop program are called.
pub fn constants(errors: &[ErrorCode]) -> BTreeMap<String, i32> {
    errors.iter().map(|e| (e.name.clone(), e.code)).collect()
}

/// `enum { NAME = 1, … };`
pub fn enumeration(t: &[Token]) -> Read<Vec<(String, i32)>> {
    let line = t.first().map_or(1, |t| t.line);
    let words: Vec<&str> = t.iter().map(|t| t.text).collect();
    let ["enum", "{", inner @ .., "}", ";"] = &words[..] else {
        return unread(line, "an `enum` is read only as constants");
    };
    let mut all = Vec::new();
    for each in inner.split(|w| *w == ",").filter(|e| !e.is_empty()) {
        let code = match each {
            [name, "=", n] => n.parse().ok().map(|n: i32| (name.to_string(), n)),
            _ => None,
        };
        match code {
            Some(code) => all.push(code),
            None => return unread(line, "a constant has no number"),
        }
    }
    Ok(all)
}

/// How a piece begins.
pub fn shortened(t: &[Token]) -> String {
    let words: Vec<&str> = t.iter().take(8).map(|t| t.text).collect();
    words.join(" ")
}
