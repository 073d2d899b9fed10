//! What is known of operators: associative, commutative, identities.
use crate::term::Term;
pub fn is_associative(_op: &Term, _r: bool) -> bool {
    false
}
pub fn is_commutative(_op: &Term, _r: bool) -> bool {
    false
}
pub fn is_identity(_e: &Term, _op: &Term, _r: bool) -> bool {
    false
}
