use super::*;

#[test]
fn where_evidence_goes() {
    use EvidenceUpload::{Local, Reference, Tracker};
    for (tracked, kind, declared, mode) in [
        (false, Kind::Other, Some(Tracker), Local),
        (false, Kind::Production, None, Local),
        (true, Kind::Production, Some(Tracker), Local),
        (true, Kind::Production, None, Local),
        (true, Kind::Other, Some(Tracker), Tracker),
        (true, Kind::Other, Some(Reference), Reference),
        (true, Kind::Other, Some(Local), Local),
        (true, Kind::Other, None, Reference),
    ] {
        assert_eq!(effective_evidence_upload(tracked, kind, declared), mode, "{tracked} {kind:?} {declared:?}");
    }
}

#[test]
fn states_are_found_by_name_without_case() {
    let names = Statuses::of(None);
    assert_eq!(names.state("  approved for EXECUTION "), Some(State::ApprovedForExecution));
    assert_eq!(names.state("case_review"), None);
    State::ALL.into_iter().for_each(|state| assert_eq!(names.state(names.name(state)), Some(state)));
}
