//! A saved object without the fields that say what it is.
//!
//! In: an object. Out: the same, as if `kind` and `version` were not there, so that values need no fields for them
//! and may refuse fields that they do not know. What is no object is refused, where serde would take an array for a
//! structure. Places of errors stay those of the whole text. Absent: checking the two fields.

use serde::de::value::StringDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::fmt;
use std::marker::PhantomData;

/// The keys that are passed over.
pub const HEAD: &[&str] = &["kind", "version"];

/// An object without some keys.
pub struct Body<D>(pub D, pub &'static [&'static str]);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Body<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Fields(visitor, self.1))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Fields<V>(V, &'static [&'static str]);

impl<'de, V: Visitor<'de>> Visitor<'de> for Fields<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Others(map, self.1, PhantomData))
    }
}

struct Others<'de, A>(A, &'static [&'static str], PhantomData<&'de ()>);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Others<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.0.next_key::<String>()? {
            if !self.1.contains(&&*key) {
                let key: StringDeserializer<A::Error> = key.into_deserializer();
                return seed.deserialize(key).map(Some);
            }
            self.0.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}
