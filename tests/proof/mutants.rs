//! Proofs that were tampered with: whatever is changed in the file, what is accepted is true.
//!
//! Changes are drawn for proofs of several kinds: other rules, sizes such as `-n` and `n/2`, places, directions, terms, types,
//! missing, doubled and exchanged steps, another program, conditions that rules lose. What the checker takes, and what
//! rests on no rule that is refuted or without a verdict, is evaluated at small sizes at which it is said to hold.

use super::commands::run;
use crate::common::share;
use rise_opt::interp::random::{value_of, Numbers, Rng};
use rise_opt::interp::{compare, eval_program, Sizes};
use rise_opt::proof::{check, Holds, Proof};
use rise_opt::report::saved::{self, PROOF};
use rise_opt::report::{used_rules, ProofFile};
use rise_opt::source::SourceMap;
use rise_opt::term::Program;
use rise_opt::verify::arrays::{verify_rule, Verdict};
use serde_json::{json, Value};
use std::fs;

/// Mutants of each proof.
fn each() -> u64 {
    share::half(120)
}

const SIZES: [&str; 10] = [
    "-n", "n/2", "-1", "0", "1", "n + 1", "2*n", "n - 1", "m", "k/3",
];

/// Proofs of a goal that regroups, of one that does not, of rules that hold at some sizes only.
fn proofs() -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a.rise", "def a [n : nat] (xs : n.f32) : f32 = reduceSeq (\\a -> \\x -> a + x) 0.0 (map (\\x -> x + 1.0) xs)\n");
    write("a.rules", "rule r  map f (xs : (n + 2).s)  =>  map f (concat (take[2] xs) (drop[2] xs))\n\nrule t  reduceSeq op e (map f (xs : n.s))  =>  (\\u -> reduceSeq op e (map f (take[2*floor(n, 2)] xs))) (split[2] xs)\n");
    write("r.sk", "use a.rules (r)\nsketch contains (app concat ?)\n");
    write("t.sk", "use a.rules (t)\nsketch contains (app take ?)\n");
    let goals = [
        ("programs/mm.rise", "sketches/mm/blocking.sk", "mm"),
        ("programs/mm.rise", "sketches/risegg/vectorization.sk", "mm"),
        ("a.rise", "r.sk", "a"),
        ("a.rise", "t.sk", "a"),
    ];
    let proof = |(program, sketch, name): (&str, &str, &str)| {
        let args = [
            program,
            "--sketch",
            sketch,
            "--emit",
            "proof",
            "--progress",
            "off",
        ];
        let (code, _, said) = run(folder.path(), &args);
        assert_eq!(code, 0, "{said}");
        let text = fs::read_to_string(folder.path().join(format!("{name}.proof.json"))).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    goals.into_iter().map(proof).collect()
}

/// A number of the file becomes another one near it.
fn step(v: &mut Value, rng: &mut Rng, below: usize) {
    let old = v.as_u64().unwrap_or(0);
    let new = match rng.below(3) {
        0 => old + 1,
        1 => old.saturating_sub(1),
        _ => rng.below(below.max(1) as u64),
    };
    *v = json!(new);
}

fn pick<'a>(v: &'a mut Value, rng: &mut Rng) -> Option<&'a mut Value> {
    let all = v.as_array_mut()?;
    let i = rng.below(all.len().max(1) as u64) as usize;
    all.get_mut(i)
}

/// Changes something; what it was.
fn mutate(proof: &mut Value, rng: &mut Rng) -> Option<&'static str> {
    let terms = proof["terms"].as_array()?.len();
    let types = proof["types"].as_array()?.len();
    let rules = proof["rules"].as_array()?.len();
    let other = json!(*rng.pick(&SIZES));
    Some(match rng.below(16) {
        0 => {
            let rule = pick(&mut proof["rules"], rng)?;
            let text = rule["text"].as_str()?;
            let at = text.find("where")?;
            rule["text"] = json!(text[..at].trim_end());
            "a rule loses its conditions"
        }
        1 => {
            let rule = pick(&mut proof["rules"], rng)?;
            let text = rule["text"].as_str()?;
            let (from, to) = *rng.pick(&[
                ("+", "-"),
                ("[2]", "[3]"),
                ("n", "m"),
                ("map f", "map g"),
                ("xs", "(reverse xs)"),
            ]);
            rule["text"] = json!(text.replacen(from, to, 1));
            "another rule's text"
        }
        2 => {
            let node = pick(&mut proof["terms"], rng)?;
            let prim = node.get_mut("prim")?;
            let names = [
                "take",
                "drop",
                "map",
                "reduceSeq",
                "add",
                "mul",
                "fst",
                "snd",
                "split",
                "reverse",
            ];
            match rng.below(2) {
                0 => prim[0] = json!(*rng.pick(&names)),
                _ => *pick(&mut prim[1], rng)? = other,
            }
            "another primitive"
        }
        3 => {
            let node = pick(&mut proof["terms"], rng)?;
            match rng.below(3) {
                0 => step(
                    node.get_mut("app")?.get_mut(rng.below(2) as usize)?,
                    rng,
                    terms,
                ),
                1 => step(node.get_mut("var")?.get_mut(0)?, rng, 6),
                _ => step(node.get_mut("lam")?.get_mut(2)?, rng, terms),
            }
            "another term"
        }
        4 => {
            let ty = pick(&mut proof["types"], rng)?;
            let text = ty.as_str()?.replacen(
                *rng.pick(&["n", "m", "f32", "4"]),
                rng.pick::<&str>(&["(n-1)", "(n/2)", "i32", "5"]),
                1,
            );
            *ty = json!(text);
            "another type"
        }
        5 => {
            let from = if rng.one_in(2) { "0.0" } else { "1.0" };
            let text = proof["program"].as_str()?.replacen(from, "2.0", 1);
            proof["program"] = json!(text);
            "another program"
        }
        kind => {
            let segment = pick(&mut proof["steps"], rng)?;
            if kind == 6 {
                step(&mut segment["end"], rng, terms);
                return Some("another end");
            }
            if kind == 7 {
                segment["reassociate"] = json!(!segment["reassociate"].as_bool()?);
                return Some("another permission");
            }
            let chain = segment["chain"].as_array_mut()?;
            let i = rng.below(chain.len().max(1) as u64) as usize;
            match kind {
                8 => {
                    (i < chain.len()).then(|| chain.remove(i))?;
                    return Some("a missing step");
                }
                9 => {
                    let again = chain.get(i)?.clone();
                    chain.insert(i, again);
                    return Some("a doubled step");
                }
                10 => {
                    (i + 1 < chain.len()).then(|| chain.swap(i, i + 1))?;
                    return Some("exchanged steps");
                }
                _ => {}
            }
            let one = chain.get_mut(i)?;
            match kind {
                11 => {
                    one["back"] = json!(!one["back"].as_bool()?);
                    "another direction"
                }
                12 => {
                    let at = one["at"].as_array_mut()?;
                    match rng.below(3) {
                        0 => drop(at.pop()?),
                        1 => at.push(json!(rng.below(3))),
                        _ => at[0] = json!(1 - at.first()?.as_u64()?.min(1)),
                    }
                    "another place"
                }
                13 => {
                    let side = if rng.one_in(2) { "from" } else { "to" };
                    step(&mut one[side], rng, terms);
                    "another side"
                }
                _ => {
                    let by = one["by"].get_mut("rule")?;
                    match rng.below(5) {
                        0 => step(&mut by["rule"], rng, rules),
                        1 => *pick(&mut by["args"], rng)? = other,
                        2 => *pick(&mut by["sizes"], rng)? = other,
                        3 => step(pick(&mut by["types"], rng)?, rng, types),
                        _ => {
                            let holes = by["holes"].as_object_mut()?;
                            let name = holes
                                .keys()
                                .nth(rng.below(holes.len().max(1) as u64) as usize)?
                                .clone();
                            step(&mut holes[&name], rng, terms);
                        }
                    }
                    "another instance"
                }
            }
        }
    })
}

/// What the checker takes, unless a rule of it is refuted; and whether all are proved.
fn accepted(text: &str) -> Option<(Program, Proof, Holds, bool)> {
    let mut sources = SourceMap::new();
    let file = sources.add_saved("p.json", text);
    let saved: ProofFile = saved::read(&PROOF, &sources, file).ok()?;
    let program = saved.program("p.json", &mut sources).ok()?;
    let proof = saved.proof("p.json", &program, &mut sources).ok()?;
    let holds = check(&proof).ok()?;
    let mut proved = true;
    for rule in used_rules(&proof) {
        match verify_rule(&rule, 200) {
            Verdict::Proved { .. } => {}
            Verdict::Refuted(_) => return None,
            Verdict::Unknown { .. } => proved = false,
        }
    }
    Some((program, proof, holds, proved))
}

/// At how many small sizes both ends were compared; they are equal there.
fn compared(program: &Program, proof: &Proof, holds: &Holds, what: &str) -> usize {
    let found = Program {
        term: proof.end().clone(),
        ..program.clone()
    };
    let mut rng = Rng::new(9);
    let mut compared = 0;
    for draw in 0..24 {
        let size = |rng: &mut Rng| match draw % 3 {
            0 => rng.between(0, 3),
            1 => rng.between(0, 9),
            _ => 32,
        };
        let sizes: Sizes = program.sizes.iter().map(|s| (*s, size(&mut rng))).collect();
        let lookup = &mut |s| sizes.get(&s).copied();
        if holds.wherever.iter().any(|a| a.holds(lookup) != Some(true)) {
            continue;
        }
        let args: Option<Vec<_>> = (program.params.iter())
            .map(|(_, ty)| value_of(&mut rng, *ty, &sizes, Numbers::Whole).ok())
            .collect();
        let Some(Ok(left)) = args.as_ref().map(|a| eval_program(program, &sizes, a)) else {
            continue;
        };
        let right = eval_program(&found, &sizes, &args.unwrap_or_default());
        let right = right.unwrap_or_else(|e| panic!("{what} at {sizes:?}: {e}"));
        // With the permission to regroup, zeros of both signs are one.
        let d = compare::compare(&left, &right).expect("one shape");
        assert!(d.same || d.relative == 0.0, "{what}: {sizes:?}\n{found}");
        compared += 1;
    }
    compared
}

#[test]
fn what_is_accepted_of_tampered_proofs_is_true() {
    super::deep(|| {
        let (mut tried, mut kept, mut checked) = (0, 0, 0);
        for whole in proofs() {
            let (program, proof, holds, proved) = accepted(&whole.to_string()).expect("a proof");
            assert!(proved && compared(&program, &proof, &holds, "whole") > 0);
            let mut rng = Rng::new(tried + 1);
            let mut made = 0;
            while made < each() {
                let mut changed = whole.clone();
                let Some(what) = mutate(&mut changed, &mut rng) else {
                    continue;
                };
                if changed == whole {
                    continue;
                }
                (made, tried) = (made + 1, tried + 1);
                let Some((program, proof, holds, proved)) = accepted(&changed.to_string()) else {
                    continue;
                };
                kept += 1;
                if proved {
                    checked += compared(&program, &proof, &holds, what);
                }
            }
        }
        // Most changes break a proof; some, as of a rule that no step uses, do not.
        assert!(
            tried >= share::half(400) && kept * 3 < tried && kept > 0 && checked > 0,
            "{kept} of {tried}, {checked}"
        );
    });
}
