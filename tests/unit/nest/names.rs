//! Of `nest::names`.

use rise_opt::nest::names::*;
use std::collections::HashSet;

#[test]
fn names_that_c_or_the_kernel_has_are_changed() {
    for free in [
        "a", "mm", "xs_1", "at", "f32y", "N", "index", "part0", "t_part",
    ] {
        assert_eq!(identifier(free), free);
    }
    for taken in [
        "int",
        "out",
        "room",
        "any_outside",
        "f32x16",
        "div_i8",
        "exp_f32x16",
        "size_t",
        "class",
        "NAN",
        "INT8_C",
        "expf",
        "T_ERR_SIZE",
        "t_part0",
        "v_int",
        "v_a",
        "q_a",
        "_",
        "_x",
    ] {
        assert_eq!(identifier(taken), format!("v_{taken}"));
    }
    for linked in [
        "floor",
        "log1p",
        "write",
        "index",
        "read",
        "strdup",
        "omp_get_wtime",
    ] {
        assert_eq!(function_name(linked), format!("v_{linked}"));
    }
    assert_eq!(function_name("blur"), "blur");
}

#[test]
fn different_names_stay_different() {
    let names = [
        "x",
        "x'",
        "x''",
        "x_",
        "x__",
        "x_27_",
        "'x",
        "v_x",
        "v_x'",
        "q_x",
        "q_x_27_",
        "q_x__",
        "v_q_x",
        "int",
        "v_int",
        "v_v_int",
        "q_int",
        "int'",
        "größe",
        "gr_f6__df_e",
        "q_gr_f6__df_e",
        "λx",
        "_",
        "__",
        "v_",
        "v__",
    ];
    for name in [identifier, function_name] {
        let all: HashSet<String> = names.iter().map(|n| name(n)).collect();
        assert_eq!(all.len(), names.len());
        let plain = |n: &String| n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        assert!(all.iter().all(plain), "{all:?}");
    }
}
