//! The kernel's interface: what it takes, gives, allocates and expects.
//!
//! In: the kernel of a record. Out: HTML. Absent: the code.

use super::highlight::{html, Language};
use super::text::{code, esc, Page};
use crate::report::record::{Kernel, Record};

const ROWS: usize = 60;

pub fn write(r: &Record, p: &mut Page) {
    let set = |all: &std::collections::BTreeMap<String, i64>| -> Vec<String> {
        all.iter()
            .map(|(n, v)| code(&format!("{n} = {v}")))
            .collect()
    };
    let mut facts = Vec::new();
    if !r.sizes.is_empty() {
        facts.push(("Sizes fixed by --set", set(&r.sizes).join(", ")));
    }
    if !r.params.is_empty() {
        facts.push((
            "Parameters of sketches, by --set",
            set(&r.params).join(", "),
        ));
    }
    let Some(k) = &r.kernel else {
        if !facts.is_empty() {
            p.facts(&facts);
        }
        p.note("No kernel was made.");
        return;
    };
    p.add(&format!(
        "<pre class=\"box\" tabindex=\"0\"><code>{};</code></pre>\n",
        html(&k.declaration, Language::C)
    ));
    let free: Vec<String> = k.sizes.iter().map(|s| code(s)).collect();
    facts.push((
        "Sizes given at each call",
        if free.is_empty() {
            "none: all are fixed".to_string()
        } else {
            free.join(", ")
        },
    ));
    facts.push(("Made for", code(&k.target)));
    p.facts(&facts);

    p.add("<h3>Assumptions</h3>\n");
    if k.assumptions.is_empty() {
        p.note("None: any sizes that are not negative will do.")
    } else {
        assumptions(&k.assumptions, "the kernel refuses other sizes", p)
    }
    if !k.falls_back_unless.is_empty() {
        p.add("<h3>For its own loops</h3>\n");
        let more = "for other sizes it calls its unoptimised twin";
        assumptions(&k.falls_back_unless, more, p);
    }

    arguments(k, p);
    buffers(k, p);
    returns(k, p);
}

/// Arrays and numbers that are taken and given.
fn arguments(k: &Kernel, p: &mut Page) {
    p.add("<h3>Arrays and numbers</h3>\n");
    let rows: Vec<Vec<String>> = (k.arguments.iter().take(ROWS))
        .map(|a| {
            let dims: String = a.dimensions.iter().map(|d| format!("[{d}]")).collect();
            vec![
                code(&a.name),
                if a.result { "result" } else { "argument" }.to_string(),
                code(&a.element),
                if dims.is_empty() {
                    "one number".to_string()
                } else {
                    code(&dims)
                },
            ]
        })
        .collect();
    let heads = [("name", ""), ("is", ""), ("of", ""), ("row by row", "")];
    p.table("Arrays and numbers", &heads, &rows);
    p.cut(ROWS.min(k.arguments.len()), k.arguments.len(), "arguments");
}

fn buffers(k: &Kernel, p: &mut Page) {
    p.add("<h3>Memory of its own</h3>\n");
    if k.buffers.is_empty() {
        p.note("It allocates nothing, and keeps no array on the stack.");
    } else {
        let rows: Vec<Vec<String>> = (k.buffers.iter().take(ROWS))
            .map(|b| {
                vec![
                    code(&b.name),
                    code(&b.length),
                    code(&b.element),
                    esc(&b.home),
                ]
            })
            .collect();
        let heads = [("name", ""), ("elements", ""), ("of", ""), ("where", "")];
        p.table("Memory of its own", &heads, &rows);
        p.cut(ROWS.min(k.buffers.len()), k.buffers.len(), "buffers");
    }
}

fn returns(k: &Kernel, p: &mut Page) {
    p.add("<h3>What it returns</h3>\n");
    let mut rows = vec![vec![code("0"), String::new(), "done".to_string()]];
    rows.extend(
        k.errors
            .iter()
            .map(|e| vec![code(&e.code.to_string()), code(&e.name), esc(&e.meaning)]),
    );
    p.table(
        "What it returns",
        &[("code", ""), ("name", ""), ("when", "")],
        &rows,
    );
}

fn assumptions(all: &[String], more: &str, p: &mut Page) {
    p.add("<ul class=\"checks\">\n");
    for a in all.iter().take(ROWS) {
        p.add(&format!(
            "<li class=\"good\"><span aria-hidden=\"true\">✓</span> <div>{} <small>{}</small></div></li>\n",
            code(a),
            esc(more)
        ));
    }
    p.add("</ul>\n");
    p.cut(ROWS.min(all.len()), all.len(), "assumptions");
}
