//! The first of many things in the order of their paths, whatever the order in which they come, in bounded memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The first things by path, as many as weigh `room` together.
pub(in super::super) struct Firsts<T> {
    room: usize,
    found: BTreeMap<PathBuf, (usize, T)>,
    weight: usize,
    total: usize,
    things: usize,
}

impl<T> Firsts<T> {
    pub(in super::super) const fn new(room: usize) -> Self {
        Self { room, found: BTreeMap::new(), weight: 0, total: 0, things: 0 }
    }

    /// Counts a thing, and keeps it if it is among the first.
    pub(in super::super) fn add(&mut self, path: &Path, weight: usize, thing: impl FnOnce() -> T) {
        self.total += weight;
        self.things += 1;
        let is_full = self.weight >= self.room;
        if is_full && self.found.last_key_value().is_some_and(|(last, _)| path > last) {
            return;
        }
        self.found.insert(path.to_owned(), (weight, thing()));
        self.weight += weight;
        // The last one goes as soon as the others fill the room.
        while let Some(last) = self.found.last_entry()
            && self.weight - last.get().0 >= self.room
        {
            self.weight -= last.remove().0;
        }
    }

    /// The weight of all that came, kept or not.
    pub(in super::super) const fn total(&self) -> usize {
        self.total
    }

    /// How many things came, kept or not.
    pub(in super::super) const fn things(&self) -> usize {
        self.things
    }

    /// The things that were kept, in their order.
    pub(in super::super) fn into_found(self) -> impl Iterator<Item = (PathBuf, T)> {
        self.found.into_iter().map(|(path, (_, thing))| (path, thing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(room: usize, things: &[(&str, usize)]) -> (Vec<String>, usize) {
        let mut firsts = Firsts::new(room);
        things.iter().for_each(|(path, weight)| firsts.add(Path::new(path), *weight, || ()));
        let total = firsts.total();
        (firsts.into_found().map(|(path, ())| path.display().to_string()).collect(), total)
    }

    #[test]
    fn the_first_are_kept_whatever_the_order_in_which_they_come() {
        let things = [("d", 1), ("b", 1), ("a", 1), ("c", 1)];
        for turn in 0..things.len() {
            let mut things = things;
            things.rotate_left(turn);
            assert_eq!(first(2, &things), (vec!["a".to_owned(), "b".to_owned()], 4));
        }
    }

    #[test]
    fn one_that_weighs_more_than_there_is_room_for_is_kept_when_it_is_first() {
        assert_eq!(first(2, &[("b", 1), ("a", 5)]), (vec!["a".to_owned()], 6));
        assert_eq!(first(3, &[("b", 5), ("a", 1)]), (vec!["a".to_owned(), "b".to_owned()], 6));
    }
}
