//! The goals by which encodings of the lambda calculus are compared: the product's
//! encoding finds all of them in small graphs, and the four untyped ones behave as
//! published where that takes little.

#[path = "../benches/encodings/product.rs"]
mod product;
#[path = "../benches/encodings/task.rs"]
mod task;
#[path = "../benches/encodings/untyped/mod.rs"]
#[allow(dead_code)]
mod untyped;

use product::{family, paper, Task};
use rise_opt::alloc;
use rise_opt::interp::random::{value_of, Numbers, Rng};
use rise_opt::interp::{compare, eval, eval_program, Sizes};
use rise_opt::search::{Options, Outcome};
use rise_opt::term::normalize_program;
use std::time::Duration;
use untyped::goals::Goal;
use untyped::rules::Encoding;
use untyped::{End, Limits};

/// Searches within limits in counts.
fn search(task: &Task, most_nodes: u64) -> Outcome {
    let options = Options {
        iterations: Some(40),
        nodes: Some(40_000),
        ..Options::default()
    };
    let (_, outcome) = task::run(task, &options);
    assert!(
        outcome.failure.is_none(),
        "{}: {:?}",
        task.name,
        outcome.failure
    );
    let nodes = outcome.trace.steps[0].size().nodes;
    assert!(nodes <= most_nodes, "{}: {nodes} e-nodes", task.name);
    outcome
}

/// The same, and what was found is the goal.
fn finds(task: &Task, most_nodes: u64) {
    let outcome = search(task, most_nodes);
    let goal = normalize_program(&task::definition(&task.goal).term);
    assert_eq!(
        outcome.terms[0].to_string(),
        goal.to_string(),
        "{}",
        task.name
    );
}

#[test]
fn the_goals_of_the_paper_are_found() {
    let [reduction, fission, binomial] = paper().try_into().ok().expect("three goals");
    finds(&reduction, 20);
    finds(&fission, 180);
    let outcome = search(&binomial, 3200);
    // The sums are in another order: the values are compared.
    let sizes: Sizes = [("h", 4), ("w", 5)].map(|(n, v)| (n.into(), v)).into();
    let program = task::definition(&binomial.program);
    let mut rng = Rng::new(7);
    let args: Vec<_> = (program.params.iter())
        .map(|(_, ty)| value_of(&mut rng, *ty, &sizes, Numbers::Whole).expect("data"))
        .collect();
    let want = eval_program(&program, &sizes, &args).expect("a value");
    let got = eval(&outcome.terms[0], &sizes, &args).expect("a value");
    assert!(compare::same(&want, &got));
}

#[test]
fn the_family_is_found_as_a_part() {
    for (n, m, o, most) in [
        (1, 2, 2, 180),
        (1, 4, 2, 620),
        (2, 4, 2, 1400),
        (2, 6, 2, 3800),
    ] {
        finds(&family(n, m, o, false), most);
    }
}

#[test]
fn the_family_is_found_as_the_whole_program() {
    for (n, m, o, most) in [
        (1, 4, 2, 540),
        (2, 4, 2, 1400),
        (2, 6, 2, 3800),
        (4, 6, 2, 36_000),
    ] {
        finds(&family(n, m, o, true), most);
    }
}

fn small() -> Limits {
    Limits {
        time: Duration::from_secs(60),
        // Other tests of this process hold some, too.
        bytes: 4_000_000_000,
        nodes: 20_000,
        held: alloc::allocated,
    }
}

#[test]
fn untyped_encodings_do_what_takes_little() {
    let [reduction, fission, binomial] = Goal::paper().try_into().ok().expect("three goals");
    let ends = |goal: &Goal| Encoding::ALL.map(|e| untyped::run(goal, e, &small()).end);
    use End::{Found, Nodes};
    assert_eq!(ends(&reduction), [Found, Nodes, Found, Found]);
    assert_eq!(ends(&fission), [Nodes, Nodes, Found, Found]);
    assert_eq!(ends(&binomial)[3], Found);
}

/// The cause of what the family costs: functions that are bound variables.
#[test]
fn bound_functions_are_what_makes_the_family_hard() {
    let run = |constants| {
        let goal = untyped::goals::family(1, 3, 2, constants);
        untyped::run(&goal, Encoding::ALL[3], &small()).end
    };
    assert_eq!((run(true), run(false)), (End::Found, End::Nodes));
}
