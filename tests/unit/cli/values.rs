//! Of `cli::values`.

use rise_opt::cli::values::*;

#[test]
fn settings_are_names_with_sizes() {
    let s = setting("tile=1_024").unwrap();
    assert_eq!((&*s.name, s.value), ("tile", 1024));
    for bad in [
        "m",
        "=3",
        "m=",
        "m=0",
        "m=-4",
        "m=99999999999999999999",
        "3=4",
    ] {
        assert!(setting(bad).is_err(), "{bad}");
    }
}

#[test]
fn bytes_have_units() {
    assert_eq!("2G".parse(), Ok(Bytes(2 << 30)));
    assert_eq!("500m".parse(), Ok(Bytes(500 << 20)));
    assert_eq!("123".parse(), Ok(Bytes(123)));
    for bad in ["", "G", "1.5G", "0", "-1", "3T", "99999999999G"] {
        assert!(bad.parse::<Bytes>().is_err(), "{bad}");
    }
}
