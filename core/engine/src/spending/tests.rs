//! However many replies are written at once, no bound above them is passed by more than one piece of each.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::thread;

use proptest::prelude::*;

use super::*;

fn tokens(tokens: u64) -> Amount {
    Amount { nano_usd: 0, tokens }
}

fn bounded(most: u64, parent: Option<&Arc<Spending>>) -> Arc<Spending> {
    let limits = Limits { max_budget_tokens: Some(most), ..Limits::default() };
    Arc::new(Spending::new(&limits, parent.cloned()))
}

fn unbounded(parent: Option<&Arc<Spending>>) -> Arc<Spending> {
    Arc::new(Spending::new(&Limits::default(), parent.cloned()))
}

fn spent(node: &Spending) -> u64 {
    locked(&node.sums).spent.tokens
}

fn reserved(node: &Spending) -> u64 {
    locked(&node.sums).reserved.tokens
}

#[test]
fn what_a_child_spends_counts_at_every_node_above_it() {
    let root = bounded(100, None);
    let child = unbounded(Some(&root));
    let grandchild = unbounded(Some(&child));
    assert!(grandchild.is_bounded() && !unbounded(None).is_bounded());
    let mut charge = grandchild.begin(tokens(0)).unwrap();
    assert!(!charge.set(tokens(99)));
    assert_eq!([&root, &child, &grandchild].map(|node| spent(node)), [99; 3]);
    assert!(charge.set(tokens(100)));
    drop(charge);
    assert!(child.begin(tokens(0)).is_none() && root.begin(tokens(0)).is_none());
}

#[test]
fn a_childs_own_bound_holds_too_and_leaves_the_rest_to_others() {
    let root = bounded(100, None);
    let (narrow, other) = (bounded(10, Some(&root)), unbounded(Some(&root)));
    assert!(narrow.begin(tokens(0)).unwrap().set(tokens(10)));
    assert!(narrow.begin(tokens(0)).is_none());
    assert!(!other.begin(tokens(0)).unwrap().set(tokens(89)));
}

#[test]
fn what_others_have_reserved_is_not_there_to_begin_with() {
    let root = bounded(100, None);
    let (one, two) = (unbounded(Some(&root)), unbounded(Some(&root)));
    // A reservation of its own stops nobody: it is a guess, and what comes is counted.
    let mut charge = one.begin(tokens(120)).unwrap();
    assert!(two.begin(tokens(1)).is_none());
    assert_eq!([reserved(&root), reserved(&two)], [120, 0], "a refusal leaves no trace");
    assert!(!charge.set(tokens(50)), "only what was spent is held against the bound");
    assert_eq!((spent(&root), reserved(&root)), (50, 70));
    drop(charge);
    assert_eq!((spent(&root), reserved(&root)), (50, 0));
    assert!(two.begin(tokens(1)).is_some());
}

#[test]
fn what_came_to_nothing_is_given_back_and_what_broke_off_is_not() {
    let root = bounded(100, None);
    let mut charge = root.begin(tokens(30)).unwrap();
    charge.set(tokens(40));
    charge.set(Amount::default());
    assert_eq!((spent(&root), reserved(&root)), (0, 30), "sent again");
    charge.set(tokens(20));
    drop(charge);
    assert_eq!((spent(&root), reserved(&root)), (20, 0));
}

#[test]
fn money_that_is_added_in_pieces_is_the_same_money() {
    let limits = Limits { max_budget_usd: Some(0.3), ..Limits::default() };
    let root = Arc::new(Spending::new(&limits, None));
    let usd = |usd: f64| Amount { nano_usd: nano(usd), tokens: 0 };
    for _ in 0..2 {
        assert!(!root.begin(usd(0.0)).unwrap().set(usd(0.1)));
    }
    assert!(root.begin(usd(0.0)).unwrap().set(usd(0.1)));
}

#[test]
fn children_at_work_at_once_stop_within_one_piece_each() {
    const CHILDREN: u64 = 8;
    const PIECE: u64 = 7;
    let root = bounded(10_000, None);
    let told: Vec<u64> = thread::scope(|scope| {
        let children: Vec<_> = (0..CHILDREN)
            .map(|_| {
                let child = unbounded(Some(&root));
                scope.spawn(move || {
                    let mut shown = 0;
                    // Reply after reply, as a turn does it.
                    while let Some(mut charge) = child.begin(tokens(PIECE)) {
                        for pieces in 1..100 {
                            shown += PIECE;
                            if charge.set(tokens(pieces * PIECE)) {
                                return shown;
                            }
                        }
                    }
                    shown
                })
            })
            .collect();
        children.into_iter().map(|child| child.join().unwrap()).collect()
    });
    let all: u64 = told.iter().sum();
    assert_eq!((spent(&root), reserved(&root)), (all, 0));
    assert!((10_000..10_000 + CHILDREN * PIECE).contains(&all), "{all}");
}

proptest! {
    #[test]
    fn no_order_of_events_passes_a_bound_by_more_than_one_piece_of_each(
        most in 1_u64..500,
        own in prop::collection::vec(prop::option::of(1_u64..300), 1..6),
        events in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..8, 1_u64..20), 0..200),
    ) {
        let root = bounded(most, None);
        let children: Vec<_> =
            own.iter().map(|own| own.map_or_else(|| unbounded(Some(&root)), |own| bounded(own, Some(&root)))).collect();
        let mut charges: Vec<Option<Charge>> = children.iter().map(|_| None).collect();
        for (which, what, piece) in events {
            let place = which.index(children.len());
            let charge = &mut charges[place];
            match (charge.as_mut(), what) {
                (None, _) => *charge = children[place].begin(tokens(piece)),
                (Some(_), 0) => *charge = None,
                (Some(running), 1) => {
                    running.set(Amount::default());
                }
                (Some(running), _) => {
                    let more = running.spent.plus(tokens(piece));
                    if running.set(more) {
                        *charge = None;
                    }
                }
            }
            prop_assert!(spent(&root) < most + 20 * children.len() as u64);
            for (child, own) in children.iter().zip(&own) {
                prop_assert!(own.is_none_or(|own| spent(child) < own + 20));
            }
        }
        drop(charges);
        prop_assert_eq!(reserved(&root), 0);
        prop_assert_eq!(spent(&root), children.iter().map(|child| spent(child)).sum::<u64>());
    }
}
