//! Whole numbers of a saved file, before it is believed.
//!
//! In: any JSON, and the largest number that is read. Out: nothing, or an error where a larger one stands. So that whoever
//! computes with what was read does not overflow. Absent: fields, but seeds, which are any 64 bits and never computed with.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Reads a value whose whole numbers are at most so large.
#[derive(Clone, Copy)]
pub struct Within(pub u64);

impl Within {
    fn check<E: Error>(self, n: u64, sign: &str) -> Result<(), E> {
        if n <= self.0 {
            Ok(())
        } else {
            Err(E::custom(format!(
                "the number {sign}{n} is larger than any that is written"
            )))
        }
    }
}

impl<'de> DeserializeSeed<'de> for Within {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Within {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, n: u64) -> Result<(), E> {
        self.check(n, "")
    }

    fn visit_i64<E: Error>(self, n: i64) -> Result<(), E> {
        self.check(n.unsigned_abs(), if n < 0 { "-" } else { "" })
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "seed" => drop(map.next_value::<IgnoredAny>()?),
                _ => map.next_value_seed(self)?,
            }
        }
        Ok(())
    }
}
