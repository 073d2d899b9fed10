//! Mutation of JSON, as a tree.

use super::mutate;
use rise_opt::interp::random::Rng;
use serde_json::{json, Value};

/// Numbers at the ends of what anybody expects.
fn extreme(rng: &mut Rng) -> Value {
    let all = [
        json!(0),
        json!(1),
        json!(-1),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(i64::MAX),
        json!(u32::MAX),
        json!(u64::from(u32::MAX) + 1),
        json!(1e308),
        json!(-1e308),
        json!(5e-324),
        json!(0.5),
        json!(-0.0),
        json!(1u64 << 53),
        json!(1e19),
        json!(2),
        json!(1000),
        json!(1u64 << 40),
        json!(255),
        json!(256),
    ];
    rng.pick(&all).clone()
}

fn any(rng: &mut Rng) -> Value {
    let all = [
        json!(null),
        json!(true),
        json!(""),
        json!([]),
        json!({}),
        json!("x"),
        json!([[]]),
        json!("\u{0}\u{1b}[31m</script>"),
        json!("a".repeat(3000)),
        json!("é\u{202e}"),
        json!("../../etc/passwd"),
        json!("NaN"),
    ];
    match rng.one_in(2) {
        true => extreme(rng),
        false => rng.pick(&all).clone(),
    }
}

/// A few mutations of a saved file.
pub fn text(text: &str, others: &[String], rng: &mut Rng) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else {
        return mutate::text(text, others, rng);
    };
    if rng.one_in(30) {
        return mutate::text(text, others, rng);
    }
    let other: Value = serde_json::from_str(rng.pick::<String>(others)).unwrap_or_default();
    for _ in 0..1 + rng.below(3) {
        let mut nodes = 0;
        each(&mut value, &mut |_| nodes += 1);
        let chosen = rng.below(nodes);
        let mut taken = Vec::new();
        if rng.one_in(4) {
            each(&mut other.clone(), &mut |v| taken.push(v.clone()));
            each(&mut value.clone(), &mut |v| taken.push(v.clone()));
        }
        let mut at = 0;
        each(&mut value, &mut |v| {
            if at == chosen {
                change(v, &taken, rng);
            }
            at += 1;
        });
    }
    value.to_string()
}

fn change(v: &mut Value, taken: &[Value], rng: &mut Rng) {
    if !taken.is_empty() {
        *v = rng.pick(taken).clone();
        return;
    }
    match v {
        Value::Number(n) => {
            *v = match (n.as_i64(), rng.below(3)) {
                (Some(n), 0) => json!(n.wrapping_add(1)),
                (Some(n), 1) => json!(n.wrapping_sub(1)),
                _ => extreme(rng),
            }
        }
        Value::String(s) if !rng.one_in(4) => {
            let others = [s.clone(), "map (\\x -> x) xs".to_string()];
            *s = mutate::text(s, &others, rng);
        }
        Value::Array(items) if !items.is_empty() && !rng.one_in(6) => {
            let at = rng.below(items.len() as u64) as usize;
            match rng.below(5) {
                0 => drop(items.remove(at)),
                1 => items.clear(),
                2 => items.reverse(),
                3 => items.insert(at, items[at].clone()),
                _ => (0..rng.below(100)).for_each(|_| items.insert(at, items[at].clone())),
            }
        }
        Value::Object(fields) if !fields.is_empty() && !rng.one_in(6) => {
            let keys: Vec<String> = fields.keys().cloned().collect();
            let (a, b) = (rng.pick(&keys).clone(), rng.pick(&keys).clone());
            match rng.below(4) {
                0 => drop(fields.remove(&a)),
                1 => {
                    let x = fields[&a].clone();
                    fields.insert(b, x);
                }
                2 => drop(fields.insert("other".to_string(), any(rng))),
                _ => drop(fields.insert(a, any(rng))),
            }
        }
        _ => *v = any(rng),
    }
}

/// Every node, the root first. What a visit puts in is not visited.
fn each(v: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    match v {
        Value::Array(items) => items.iter_mut().for_each(|i| each(i, visit)),
        Value::Object(fields) => fields.values_mut().for_each(|i| each(i, visit)),
        _ => {}
    }
    visit(v);
}
