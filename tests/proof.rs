//! Proofs: whatever a search finds is explained, and the checker takes the explanation and nothing else.

mod commands;
mod mutants;
mod trust;

use crate::common;
use crate::common::flow::Programs;
use crate::common::share;
use crate::common::{
    chain, chain_text, general_book, mm, program, program_text, shipped_rules, GOALS,
};
use rise_opt::arith::Nat;
use rise_opt::diag::code;
use rise_opt::elab::{self, Limits, RuleUse, Step as Guide};
use rise_opt::interp::generate::{Generator, Options as Kinds};
use rise_opt::interp::random::Rng;
use rise_opt::proof::{check, By, Proof, Refusal};
use rise_opt::report::saved::{self, PROOF};
use rise_opt::report::ProofFile;
use rise_opt::search::{optimize, prove_root, unguided, Options};
use rise_opt::source::SourceMap;
use rise_opt::term::{Kind, Lit, Program, Term};
use rise_opt::ty::Scalar;

fn deep<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|s| {
        let thread = std::thread::Builder::new().stack_size(1 << 28);
        let done = thread.spawn_scoped(s, f).unwrap().join();
        done.unwrap_or_else(|e| std::panic::resume_unwind(e))
    })
}

fn prove(program: &Program, steps: &[Guide]) -> Proof {
    let options = Options {
        prove: true,
        ..Options::default()
    };
    let outcome = optimize(program, steps, &options);
    assert!(outcome.failure.is_none());
    let proof = outcome.proof.unwrap().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(proof.end(), outcome.terms.last().unwrap());
    proof
}

fn proof_of(path: &str) -> Proof {
    let program = mm();
    prove(&program, &chain(path, &program, &[]))
}

#[test]
fn the_seven_goals_of_both_books_are_explained() {
    deep(|| {
        for folder in ["mm", "risegg"] {
            for goal in GOALS {
                let proof = proof_of(&format!("sketches/{folder}/{goal}.sk"));
                check(&proof).unwrap_or_else(|e| panic!("{folder}/{goal}: {e:?}"));
                let steps: Vec<_> = proof.segments.iter().map(|l| l.steps.len()).collect();
                assert!(
                    steps.iter().sum::<usize>() < 200,
                    "{folder}/{goal}: {steps:?}"
                );
            }
        }
    });
}

/// Register tiles in one thread and in several, with the shipped tiles and small ones, and products of many
/// small matrices: what makes them are partial tiles, packing, unrolled loops.
#[test]
fn register_tiles_and_batches_are_explained() {
    deep(|| {
        let small = [("mr", 2), ("nr", 4), ("lanes", 2), ("group", 3)];
        let mm = mm();
        let batched = program("programs/batched_mm.rise");
        let goals = [
            ("mm/micro", &mm, &[][..]),
            ("mm/micro", &mm, &small),
            ("mm/micro-parallel", &mm, &[]),
            ("batched_mm/small", &batched, &[]),
            ("batched_mm/padded", &batched, &[]),
        ];
        for (goal, program, settings) in goals {
            let steps = chain(&format!("sketches/{goal}.sk"), program, settings);
            let proof = prove(program, &steps);
            check(&proof).unwrap_or_else(|e| panic!("{goal}: {e:?}"));
            assert_eq!(proof.segments.len(), steps.len());
            let steps: Vec<_> = proof.segments.iter().map(|l| l.steps.len()).collect();
            assert!(steps.iter().sum::<usize>() < 600, "{goal}: {steps:?}");
        }
    });
}

/// Without applied forms, and with right sides as they are written.
#[test]
fn steps_that_do_not_normalise_are_explained() {
    deep(|| {
        for goal in ["blocking", "parallel"] {
            let program = mm();
            let mut steps = chain(&format!("sketches/mm/{goal}.sk"), &program, &[]);
            for step in &mut steps {
                step.normalize = false;
            }
            let proof = prove(&program, &steps);
            check(&proof).unwrap_or_else(|e| panic!("{goal}: {e:?}"));
        }
    });
}

/// The type of an operator that a condition names is that of the match: integers may be regrouped, floats not
/// without permission, and the checker thinks so, too.
#[test]
fn an_operator_of_a_condition_has_the_type_of_the_match() {
    let rule = "rule regroup\n  reduceSeq (+) (e : t) (join (xs : n.m.t))  =>\n    \
                reduceSeq (\\acc ys -> reduceSeq (+) acc ys) e xs\n  where associative ((+) : t -> t -> t)\n";
    let search = |element: &str, reassociate: bool| {
        let program = program_text(&format!(
            "def f [n m : nat] (xs : n.m.{element}) : {element} = reduceSeq (+) (cast 0) (join xs)\n"
        ));
        let mut steps = chain_text("sketch contains (app reduceSeq (\\ (\\ ?)))\n", &program);
        steps[0].rules = common::rules(rule);
        steps[0].reassociate = reassociate;
        (program, steps)
    };
    for (element, reassociate) in [("i32", false), ("f32", true)] {
        let (program, steps) = search(element, reassociate);
        let proof = prove(&program, &steps);
        check(&proof).unwrap_or_else(|e| panic!("{element}: {e:?}"));
        let mut refused = proof.clone();
        refused.segments[0].reassociate = false;
        assert_eq!(check(&refused).is_ok(), element == "i32");
    }
    let (program, steps) = search("f32", false);
    assert!(optimize(&program, &steps, &Options::default())
        .failure
        .is_some());
}

#[test]
fn unguided_search_is_explained() {
    deep(|| {
        let program = mm();
        let steps = chain("sketches/mm/blocking.sk", &program, &[]);
        let proof = prove(&program, &[unguided(&steps).unwrap()]);
        check(&proof).unwrap_or_else(|e| panic!("{e:?}"));
        assert!(
            proof.segments[0].steps.len() < 200,
            "{}",
            proof.segments[0].steps.len()
        );
    });
}

/// Terms of the root's class, after all rules at once on random programs.
fn random_programs(used: &[RuleUse], seeds: std::ops::Range<u64>, reassociate: bool) {
    let mut step = chain_text("sketch contains tanh", &mm()).remove(0);
    step.rules = used.to_vec();
    step.reassociate = reassociate;
    step.limits = Limits {
        iterations: Some(3),
        nodes: Some(4000),
        nesting: Some(7),
        size: Some(250),
        ..Limits::default()
    };
    let (mut steps, mut count) = (0, 0);
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let kinds = Kinds {
            scalars: vec![Scalar::F32, Scalar::I32],
            fuel: 3,
            elements: 64,
            symbolic: seed % 2 == 0,
            ..Kinds::default()
        };
        let program = Generator::new(&mut rng, kinds).program();
        for proof in prove_root(&step, &program.term, &Options::default(), 12) {
            count += 1;
            let proof = proof.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{program}"));
            check(&proof).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{program}"));
            steps += proof.segments[0].steps.len();
        }
    }
    assert!(steps > 1000, "{steps}");
    assert!(count > 200, "{count}");
}

#[test]
fn the_general_book_is_explained_on_random_programs() {
    deep(|| {
        random_programs(&general_book(), 0..share::half(40), false);
    });
}

#[test]
fn the_published_book_is_explained_on_random_programs() {
    deep(|| random_programs(&shipped_rules("rules/risegg.rules"), 1000..1040, true));
}

/// The proof of a goal as a file, its JSON, and what the checker says of JSON.
fn file_of(path: &str) -> (ProofFile, Program) {
    let mut sources = SourceMap::new();
    let program = mm();
    let file = sources.load(path).unwrap();
    let costs = ["size", "views"];
    let around = elab::Surroundings {
        sizes: Some(&program.sizes),
        costs: &costs,
        ..elab::Surroundings::default()
    };
    let steps = elab::steps(&mut sources, file, &around).unwrap().steps;
    let proof = prove(&program, &steps);
    let command = "rise-opt".to_string();
    (ProofFile::new(&proof, &program, command, &sources), program)
}

/// The code with which a file is refused; none if it is taken.
fn verdict(text: &str) -> Result<(), String> {
    let mut sources = SourceMap::new();
    let id = sources.add_text("p.json", text);
    let says = |d: rise_opt::diag::Diagnostic| format!("{} {}", d.code.id, d.message);
    let file = ProofFile::read(&sources, id).map_err(says)?;
    let program = file.program("p.json", &mut sources).map_err(says)?;
    let proof = file.proof("p.json", &program, &mut sources).map_err(says)?;
    check(&proof).map(|_| ()).map_err(|r| {
        let step = r.step.map_or("end".to_string(), |s| s.to_string());
        format!(
            "{} segment {} step {step}: {}",
            code::PROOF_STEP.id,
            r.segment,
            r.why
        )
    })
}

#[test]
fn a_proof_reads_back_and_holds() {
    deep(|| {
        for path in [
            "sketches/mm/parallel.sk",
            "sketches/risegg/vectorization.sk",
        ] {
            let (file, _) = file_of(path);
            let text = file.to_json();
            verdict(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
            assert!(text.starts_with("{\n  \"kind\": \"proof\",\n  \"version\": 1,"));
            assert!(
                file.rules.iter().all(|r| r.is_shipped()),
                "{:?}",
                file.rules
            );
            // Terms stand once.
            assert!(text.len() < 600_000, "{}", text.len());
        }
    });
}

/// Every single change of a proof is refused.
#[test]
fn a_tampered_proof_is_refused() {
    deep(|| {
        let (file, _) = file_of("sketches/mm/cache-blocks.sk");
        let text = file.to_json();
        verdict(&text).unwrap();
        let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut refused = 0;
        let mut tried = |what: String, change: &dyn Fn(&mut serde_json::Value)| {
            let mut v = whole.clone();
            change(&mut v);
            if v == whole {
                return;
            }
            let said = verdict(&v.to_string());
            assert!(said.is_err(), "taken: {what}");
            let said = said.unwrap_err();
            assert!(
                said.starts_with(code::PROOF_STEP.id) || said.starts_with(code::PROOF_MALFORMED.id),
                "{what}: {said}"
            );
            refused += 1;
        };
        let terms = file.terms.len() as u64;
        for (i, segment) in file.steps.iter().enumerate() {
            tried(format!("end of {i}"), &|v| {
                let end = &mut v["steps"][i]["end"];
                *end = ((end.as_u64().unwrap() + terms - 1) % terms).into();
            });
            for (j, step) in segment.chain.iter().enumerate() {
                let of = |v: &mut serde_json::Value| v["steps"][i]["chain"][j].take();
                let set = |v: &mut serde_json::Value, step| v["steps"][i]["chain"][j] = step;
                for key in ["from", "to"] {
                    tried(format!("{key} of {i}.{j}"), &|v| {
                        let mut step = of(v);
                        step[key] = ((step[key].as_u64().unwrap() + 1) % terms).into();
                        set(v, step);
                    });
                }
                tried(format!("place of {i}.{j}"), &|v| {
                    let mut step = of(v);
                    match step["at"].as_array_mut().unwrap() {
                        at if at.is_empty() => at.push(1.into()),
                        at => {
                            at.pop();
                        }
                    }
                    set(v, step);
                });
                tried(format!("{i}.{j} dropped"), &|v| {
                    v["steps"][i]["chain"].as_array_mut().unwrap().remove(j);
                });
                if j + 1 < segment.chain.len() {
                    let independent = swapped_is_fine(&file, i, j);
                    if !independent {
                        tried(format!("{i}.{j} swapped"), &|v| {
                            v["steps"][i]["chain"]
                                .as_array_mut()
                                .unwrap()
                                .swap(j, j + 1);
                        });
                    }
                }
                let rule = serde_json::to_value(step).unwrap()["by"]["rule"].clone();
                if rule.is_null() {
                    continue;
                }
                tried(format!("direction of {i}.{j}"), &|v| {
                    let mut step = of(v);
                    step["back"] = (!step["back"].as_bool().unwrap()).into();
                    set(v, step);
                });
                tried(format!("rule of {i}.{j}"), &|v| {
                    let mut step = of(v);
                    let at = &mut step["by"]["rule"]["rule"];
                    *at = ((at.as_u64().unwrap() + 1) % file.rules.len() as u64).into();
                    set(v, step);
                });
                for hole in rule["holes"].as_object().unwrap().keys() {
                    tried(format!("{hole} of {i}.{j}"), &|v| {
                        let mut step = of(v);
                        let at = &mut step["by"]["rule"]["holes"][hole];
                        *at = ((at.as_u64().unwrap() + 1) % terms).into();
                        set(v, step);
                    });
                }
                for list in ["args", "sizes"] {
                    for k in 0..rule[list].as_array().unwrap().len() {
                        tried(format!("{list} {k} of {i}.{j}"), &|v| {
                            let mut step = of(v);
                            step["by"]["rule"][list][k] = "7".into();
                            set(v, step);
                        });
                    }
                }
                for k in 0..rule["types"].as_array().unwrap().len() {
                    tried(format!("type {k} of {i}.{j}"), &|v| {
                        let mut step = of(v);
                        let at = &mut step["by"]["rule"]["types"][k];
                        *at = ((at.as_u64().unwrap() + 1) % file.types.len() as u64).into();
                        set(v, step);
                    });
                }
            }
        }
        tried("the program".to_string(), &|v| {
            let text = v["program"]
                .as_str()
                .unwrap()
                .replace("fst p * snd p", "fst p + snd p");
            v["program"] = text.into();
        });
        for (k, rule) in file.rules.iter().enumerate() {
            tried(format!("name of {}", rule.name), &|v| {
                v["rules"][k]["name"] = "other".into()
            });
        }
        assert!(refused > 200, "{refused}");
    });
}

/// Whether two neighbours of a chain touch different places.
fn swapped_is_fine(file: &ProofFile, segment: usize, step: usize) -> bool {
    let [a, b] = [step, step + 1].map(|s| &file.steps[segment].chain[s].at);
    !a.starts_with(b) && !b.starts_with(a)
}

#[test]
fn regrouping_floats_needs_the_permission() {
    deep(|| {
        let (mut file, _) = file_of("sketches/risegg/blocking.sk");
        verdict(&file.to_json()).unwrap();
        assert!(file.steps[0].reassociate);
        file.steps[0].reassociate = false;
        let said = verdict(&file.to_json()).unwrap_err();
        assert!(said.contains("permission to reassociate"), "{said}");
    });
}

/// A chain with a wrong term is refused where it is wrong.
#[test]
fn a_wrong_term_is_refused_at_its_step() {
    deep(|| {
        let mut proof = proof_of("sketches/mm/blocking.sk");
        let wrong = |t: &Term| t.map_types(&mut |ty| ty, &mut |n| n * Nat::int(1));
        assert!(check(&proof).is_ok());
        let at = proof.segments[1]
            .steps
            .iter()
            .position(|s| matches!(s.by, By::Rule(..)));
        let at = at.unwrap();
        let step = &mut proof.segments[1].steps[at];
        step.to = wrong(&step.from);
        let said = check(&proof).unwrap_err();
        assert_eq!((said.segment, said.step), (1, Some(at)), "{said:?}");
        let _: &Refusal = &said;
    });
}

/// What is cut off or of another kind is said to be.
#[test]
fn other_files_are_refused() {
    let text = saved::write(&saved::PLAN, &serde_json::Map::new());
    assert!(verdict(&text).unwrap_err().starts_with("E0606"));
    assert!(verdict("{\"kind\": \"proof\"")
        .unwrap_err()
        .starts_with("E0602"));
    assert_eq!(PROOF.name, "proof");
    let program = program_text("def f (x : f32) : f32 = x + 1.0");
    let lit = |t: &Term| matches!(t.kind(), Kind::Lit(Lit::F32(_)));
    let mut found = false;
    program.term.visit(&mut |t, _| found |= lit(t));
    assert!(found);
}
