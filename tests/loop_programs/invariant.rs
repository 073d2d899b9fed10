//! What innermost loops choose alike in each iteration stands before them.

use super::*;

/// How many choices, conversions to whole numbers among them, innermost loops of a program have.
fn choices(header: &str, body: &str) -> usize {
    let nest = printed(&format!("def f {header} = {body}"));
    let mut found = 0;
    each_stmt(&nest.body, &mut |s| {
        let Stmt::For { body, .. } = s else { return };
        let mut innermost = true;
        each_stmt(body, &mut |s| innermost &= !matches!(s, Stmt::For { .. }));
        let of = body.iter().filter(|_| innermost).filter_map(exprs);
        of.for_each(|e| {
            e.visit(&mut |e| {
                found += usize::from(match e.kind() {
                    ExprKind::Op(op, _) => matches!(op, Op::Max | Op::Select),
                    ExprKind::Cast(from) => from.shape().elem.is_float() && e.shape().elem.is_int(),
                    _ => false,
                });
            })
        });
    });
    found
}

#[test]
fn choices_that_a_loop_does_not_change_stand_before_it() {
    let rows = |of: &str| {
        let header = "[h w : nat] (a : f32) (b : i32) (x : h.f32) (y : w.f32) : h.w.f32";
        choices(header, &format!("x |> map (\\u -> y |> map (\\v -> {of}))"))
    };
    assert_eq!(rows("v * (cast (cast u : i32) : f32)"), 0);
    assert_eq!(rows("v * max u a"), 0);
    // So does what is computed from one and chosen from again.
    assert_eq!(
        rows("v + (let m = max u a in if m < 3.0 then m else u * m)"),
        0
    );
    assert_eq!(rows("v * (cast (cast v : i32) : f32)"), 1);
    assert_eq!(rows("max v u"), 1);
    // A quotient of whole numbers may have no value where the loop has no iteration.
    assert_eq!(rows("v * (cast (max (7 / b) 3) : f32)"), 1);
}

/// What is read may be missing where the loop has no iteration.
#[test]
fn choices_of_what_is_read_in_a_loop_stay() {
    let header = "[w : nat] (a : f32) (y : w.f32) : w.f32";
    assert_eq!(
        choices(
            header,
            "y |> map (\\v -> v * max (idx (cast 0i64 : idx[w]) y) a)"
        ),
        1
    );
}

/// What an iteration reads on one side of a choice is read before it, where there is such an element in any case; not what lies apart, what
/// may be no element, nor what a choice leaves unread that all iterations make alike.
#[test]
fn elements_behind_choices_are_read_before_them() {
    let behind = |value: &str| {
        let nest = printed(&format!(
            "def f [n : nat] (t : u8) (z : 240.u8) (x : (n+2).u8) (y : (n+2).u8) (at : (n+2).idx[n+2]) : n.u8 =
               generate[n] (\\i ->
                 let j = (cast ((cast i : i64) + 1) : idx[n+2]) in
                 let from = \\d -> (cast ((cast i : i64) + d) : idx[n+2]) in
                 {value})"
        ));
        let mut found = 0;
        each_stmt(&nest.body, &mut |s| {
            if let Some(e) = exprs(s) {
                e.visit(&mut |e| {
                    if let ExprKind::Op(Op::Select | Op::And | Op::Or, args) = e.kind() {
                        let load = |e: &&Expr| e.holds(|k| matches!(k, ExprKind::Load(..)));
                        found += args[1..].iter().filter(load).count();
                    }
                });
            }
        });
        found
    };
    assert_eq!(behind("select (idx j x == 2) (idx j y) 0"), 0);
    assert_eq!(behind("select (idx j x == 2 && idx j y == 1) 1 0"), 0);
    assert_eq!(
        behind("select (idx j x == 2 || idx j y == 1) (idx (from 0) x) (idx (from 2) y)"),
        0
    );
    // Between two elements there are others.
    assert_eq!(
        behind("select (idx (from 0) x < idx (from 2) x) (idx j x) 0"),
        0
    );
    assert_eq!(behind("select (t == 2) (idx j y) 0"), 1);
    assert_eq!(behind("select (idx j x == 2) (idx (idx j at) y) 0"), 1);
    assert_eq!(behind("select (idx j x == 2) (idx j (reverse y)) 0"), 1);
    // The same one in all iterations.
    assert_eq!(behind("select (idx j x == 2) (idx 1 y) 0"), 0);
    // Few elements, close together; many, or far from each other.
    let rows = |n: i32, w: i32| {
        behind(&format!(
            "(cast (generate[{n}] (\\k -> idx (cast ({w} * (cast k : i64)) : idx[240]) z == 1)
              |> reduceSeq (\\acc b -> acc && b) (idx j x == 2)) : u8)"
        ))
    };
    assert_eq!(rows(6, 4), 0);
    assert_eq!(rows(6, 40), 1);
    assert_eq!(rows(60, 4), 1);
}
