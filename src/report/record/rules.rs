//! The rules of a search, as they are written, with a hash of them all.
//!
//! In: steps, which of their rules are not proved, and the texts of their files. Out: each rule once, in the order in which steps name them. Invariant: the
//! hash depends on the rules' names, arguments and texts, not on files, comments, layout, or on which step has which.

use super::{Rule, Rules};
use crate::elab::{RuleUse, Step};
use crate::hash::fnv64;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::tree::{Item, ItemKind};
use crate::syntax::{parse, print_item, Dialect};
use std::collections::{BTreeMap, BTreeSet};

/// A rule with its arguments, as traces have it.
pub fn name(u: &RuleUse) -> String {
    let args: Vec<String> = u.args.iter().map(|n| n.to_string()).collect();
    if args.is_empty() {
        u.rule.name.to_string()
    } else {
        format!("{}[{}]", u.rule.name, args.join(", "))
    }
}

pub fn rules(steps: &[Step], unverified: &BTreeSet<Span>, sources: &SourceMap) -> Rules {
    let mut files: BTreeMap<FileId, Vec<Item>> = BTreeMap::new();
    let mut all: Vec<Rule> = Vec::new();
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
        let rule = Rule {
            name: name(u),
            file: source.name.clone(),
            line: sources.position(span.file, span.lo).0,
            text: items
                .iter()
                .find(declares)
                .map(print_item)
                .unwrap_or_default(),
            regroups: u.rule.regroups(),
            proved: !unverified.contains(&span),
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
        hash: format!("{:016x}", fnv64(texts.concat().as_bytes())),
        all,
    }
}
