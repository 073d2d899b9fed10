//! Rules that are wrong or equal at some sizes only: no kernel that they lead to computes something else than its program.
//!
//! A rule that is refuted leads to none, and neither does one without a verdict. What a proved one makes of a program is
//! compiled with what its way obliges to, and run at sizes 0 to 8: it refuses the size, or is the interpreter's to the bit.

use crate::common::cases::{all_right, case_for, Case};
use crate::common::{chain_text, program_text};
use rise_opt::arith::Nat;
use rise_opt::elab::{self, RuleUse};
use rise_opt::intern::Symbol;
use rise_opt::interp::random::Rng;
use rise_opt::interp::{buffers, compare, eval_program, Shape, Sizes, Value};
use rise_opt::lower::{self, lower};
use rise_opt::proof::check;
use rise_opt::search::{prove_root, Options};
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use rise_opt::term::{normalize, Program};
use rise_opt::verify::arrays::{verify_rule, Verdict};

const PROGRAMS: [&str; 8] = [
    "def p [n : nat] (xs : n.i32) : n.i32 = map (\\x -> x * 2 + 1) xs",
    "def p [n : nat] (xs : n.i32) : n.i32 = reverse (map (\\x -> x * 2 + 1) xs)",
    "def p [n : nat] (xs : n.i32) : i32 = reduceSeq (\\a -> \\x -> a * 3 + x) 1 xs",
    "def p [n : nat] (xs : n.i32) : i32 = reduceSeq (\\a -> \\x -> a * 3 + x) 1 (map (\\x -> x * 2 + 1) xs)",
    "def p [n : nat] (xs : n.i32) : (2+n+2).i32 = padClamp[2, 2] (map (\\x -> x * 2 + 1) xs)",
    "def p [n : nat] (c : i32) (xs : 5.i32) : 1.i32 = take[1] (padCst[n, n] c xs)",
    "def p [n : nat] (c : i32) (xs : 5.i32) : 2.i32 = take[2] (padCst[n, n] c xs)",
    "def p [n : nat] (c : i32) (xs : 5.i32) : (5+n).i32 = drop[n] (padCst[n, n] c xs)",
];

/// Terms that a rule makes of a program that are looked at.
const ENDS: usize = 4;

#[derive(Default)]
struct Seen {
    proved: usize,
    /// Kernels at sizes that they take.
    cases: Vec<Case>,
    /// Sizes that a kernel refuses although the program has a value.
    excluded: usize,
    /// Of those, at which the term has another value, or none.
    differ: usize,
}

impl Seen {
    fn rule(&mut self, rule: &RuleUse, program: &Program) {
        let mut step = chain_text("sketch contains (app scatter ? ?)\n", program).remove(0);
        step.rules = vec![rule.clone()];
        let options = Options {
            iterations: Some(2),
            nodes: Some(3000),
            ..Options::default()
        };
        let mut ends = vec![normalize(&program.term)];
        for proof in prove_root(&step, &program.term, &options, 24) {
            let proof = proof.unwrap_or_else(|e| panic!("{}: {e}", rule.rule.name));
            let end = normalize(proof.end());
            if ends.contains(&end) || ends.len() > ENDS {
                continue;
            }
            // What holds at no sizes is refused.
            let Ok(holds) = check(&proof) else { continue };
            ends.push(end.clone());
            let found = Program {
                term: end,
                ..program.clone()
            };
            self.kernel(program, &found, holds.sizes);
        }
    }

    fn kernel(&mut self, program: &Program, found: &Program, obliged: Vec<Nat>) {
        let name = format!("k{}", self.cases.len());
        let options = lower::Options {
            obliged,
            name: Some(name.clone()),
            target: Target::default(),
            ..lower::Options::default()
        };
        let Ok(nest) = lower(found, &options) else {
            return;
        };
        let mut rng = Rng::new(3);
        for n in 0..=8 {
            let sizes = Sizes::from([(Symbol::new("n"), n)]);
            let target = Target::default();
            let Some(case) = case_for(target, name.clone(), program.clone(), sizes, &mut rng)
            else {
                continue;
            };
            let lookup = &mut |s: Symbol| case.sizes.get(&s).copied();
            if nest
                .abi
                .assumptions
                .iter()
                .all(|a| a.holds(lookup) == Some(true))
            {
                self.cases.push(Case {
                    nest: nest.clone(),
                    ..case
                });
                continue;
            }
            self.excluded += 1;
            let args = arguments(&case);
            let there = eval_program(found, &case.sizes, &args);
            self.differ += usize::from(!there.is_ok_and(|v| compare::same(&v, &case.expected)));
        }
    }
}

/// The values that a case is run with: each parameter is one buffer.
fn arguments(case: &Case) -> Vec<Value> {
    let typed = case.program.params.iter().zip(&case.inputs);
    let value = |((_, ty), bytes): (&(Symbol, _), &Vec<u8>)| {
        let shape = Shape::of(*ty, &case.sizes).unwrap();
        buffers::from_buffers(&shape, &[bytes]).unwrap()
    };
    typed.map(value).collect()
}

#[test]
fn no_rule_makes_a_kernel_of_another_program() {
    let text = include_str!("wrong_rules/some_sizes.rules");
    let mut sources = SourceMap::new();
    let file = sources.add_text("some_sizes.rules", text);
    let rules = elab::rule_decls(&mut sources, file).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(rules.len() >= 40);
    let mut seen = Seen::default();
    for rule in rules {
        if !matches!(verify_rule(&rule, 300), Verdict::Proved { .. }) {
            continue;
        }
        seen.proved += 1;
        for text in PROGRAMS {
            let program = program_text(text);
            for arg in [Nat::int(2), Nat::int(1), Nat::var(Symbol::new("n"))] {
                let used = RuleUse {
                    span: rule.span,
                    args: vec![arg; rule.size_params.len()],
                    rule: rule.clone(),
                };
                seen.rule(&used, &program);
                if rule.size_params.is_empty() {
                    break;
                }
            }
        }
    }
    assert!(seen.proved >= 25, "{} proved", seen.proved);
    assert!(seen.cases.len() >= 200, "{} cases", seen.cases.len());
    let (excluded, differ) = (seen.excluded, seen.differ);
    assert!(excluded >= 20 && differ >= 10, "{differ} of {excluded}");
    all_right("cc", &seen.cases, &["-O1"]);
}
