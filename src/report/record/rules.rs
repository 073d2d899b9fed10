//! The rules of a search, as they are written, with a hash of them all.
//!
//! In: steps and the texts of their files. Out: each rule once, in the order in which steps name them. Invariant: the
//! hash depends on the rules' names, arguments and texts, not on files, comments, layout, or on which step has which.

use super::{Rule, Rules};
use crate::elab::{Cond, RuleUse, Step};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::tree::{Item, ItemKind};
use crate::syntax::{parse, print_item, Dialect};
use crate::verify::arrays::prove;
use std::collections::BTreeMap;

/// A rule with its arguments, as traces have it.
pub fn name(u: &RuleUse) -> String {
    let args: Vec<String> = u.args.iter().map(|n| n.to_string()).collect();
    match args.is_empty() {
        true => u.rule.name.to_string(),
        false => format!("{}[{}]", u.rule.name, args.join(", ")),
    }
}

pub fn rules(steps: &[Step], sources: &SourceMap) -> Rules {
    let mut files: BTreeMap<FileId, Vec<Item>> = BTreeMap::new();
    let mut all: Vec<Rule> = Vec::new();
    let mut proved: BTreeMap<Span, bool> = BTreeMap::new();
    for u in steps.iter().flat_map(|s| &s.rules) {
        let span = u.rule.span;
        let source = sources.file(span.file);
        let items = files.entry(span.file).or_insert_with(|| {
            let dialect = Dialect::of_path(&source.name).unwrap_or(Dialect::Rules);
            parse(span.file, &source.text, dialect).file.items
        });
        let declares = |i: &&Item| match &i.kind {
            ItemKind::Rule(r) => r.name.span == span,
            _ => false,
        };
        let regroups = |c: &Cond| matches!(c, Cond::Associative(_) | Cond::Commutative(_));
        let rule = Rule {
            name: name(u),
            file: source.name.clone(),
            line: sources.position(span.file, span.lo).0,
            text: items
                .iter()
                .find(declares)
                .map(print_item)
                .unwrap_or_default(),
            regroups: u.rule.conds.iter().any(regroups),
            proved: *(proved.entry(span)).or_insert_with(|| prove(&u.rule).is_ok()),
        };
        if !all.contains(&rule) {
            all.push(rule);
        }
    }
    let mut texts: Vec<String> = all
        .iter()
        .map(|r| format!("{}\0{}\0", r.name, r.text))
        .collect();
    texts.sort();
    texts.dedup();
    Rules {
        hash: format!("{:016x}", fnv(texts.concat().as_bytes())),
        all,
    }
}

/// FNV-1a, 64 bits: the same on every machine, for ever.
fn fnv(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    bytes.iter().fold(start, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
