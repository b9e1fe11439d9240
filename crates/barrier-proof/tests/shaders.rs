//! Small kernels with one defect each, and correct ones that look as if they had one. Their source is
//! `kernels/kernels.comp`.

mod kernels;

use kernels::Own;

/// Kernels with a defect, and what is said of it.
const WRONG: &[(&str, &str)] = &[
    ("atomic_of_a_workgroup", "atomically changes a and another atomically changes it, in a scope"),
    ("atomic_of_a_subgroup", "atomically changes s and another atomically changes it, in a scope"),
    ("store_beside_atomics", "writes a and another atomically changes it"),
    ("waits_for_its_subgroup", "s and another"),
    ("without_semantics", "s and another"),
    ("memory_of_a_subgroup", "s and another"),
    ("semantics_of_buffers", "s and another"),
    ("semantics_of_shared", "reads a and another writes it"),
    ("released_after", "s and another"),
    ("barrier_of_a_half", "not all invocations of a workgroup reach its barrier() number 1"),
    ("early_return", "not all invocations of a workgroup reach its barrier() number 1"),
    ("barrier_in_own_loop", "not all invocations of a workgroup reach its barrier() number 1"),
    ("broken_loop", "not all invocations of a workgroup reach its barrier() number 1"),
    ("subgroups_differ", "not all invocations of a workgroup reach its barrier() number 1"),
    ("by_what_a_loop_left", "not all invocations of a workgroup reach its barrier() number 1"),
    ("shifted", "reads a and another writes it"),
    ("shifted_store", "writes a and another writes it"),
    ("masked", "writes a and another writes it"),
    ("local_number", "writes a and another writes it"),
    ("even_product", "writes a and another writes it"),
    ("halves_meet", "reads a and another writes it"),
    ("next_one", "reads a and another writes it"),
    ("rows_meet", "elements are numbered along 1 dimensions, but its workgroups are [2, 2, 1]"),
    ("width_of_8", "writes s and another writes it"),
    ("subgroups_store_one", "writes one and another writes it"),
    ("lanes_store", "writes s and another writes it"),
    ("leader_too_early", "one and another"),
    ("one_barrier_a_round", "s and another"),
    ("every_workgroup_stores", "writes a and another writes it"),
];

#[test]
fn every_defect_of_a_kernel_is_found() {
    let own = Own::read();
    let mut missed = Vec::new();
    for &(module, says) in WRONG {
        let groups = if module == "rows_meet" { [2, 2, 1] } else { [4, 1, 1] };
        let (findings, _) = own.check(module, groups);
        match findings.iter().find(|found| found.contains(says)) {
            Some(found) => eprintln!("{found}"),
            None => missed.push(format!("{module} was to say {says:?}, and said {findings:#?}")),
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Nor is any of their barriers or atomics more than they need, but for what is explained.
#[test]
fn no_correct_kernel_is_rejected() {
    let own = Own::read();
    let (mut rejected, mut tried) = (Vec::new(), 0);
    for module in own.0.keys().filter(|module| module.starts_with("ok_")) {
        let (findings, mutants) = own.check(module, if *module == "ok_folded" { [2, 2, 1] } else { [4, 1, 1] });
        rejected.extend(findings);
        rejected.extend(mutants.iter().filter(|mutant| mutant.survived()).map(|mutant| format!("{mutant:?}")));
        tried += 1;
    }
    assert!(rejected.is_empty(), "{rejected:#?}");
    assert!(tried >= 20, "only {tried}");
}

/// A value that is right for one width of a subgroup only, without a race: what the analysis does not look for.
#[test]
fn a_sum_that_is_right_for_one_width_is_not_looked_for() {
    assert_eq!(Own::read().check("unseen_sum_at_16", [4, 1, 1]).0, Vec::<String>::new());
}
