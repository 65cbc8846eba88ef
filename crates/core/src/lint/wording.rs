//! Wording that makes a claim which needs an obligation (plan.md rule 7; harness-proof.md 3.1). Lists are meant to
//! catch the plain cases; `notClaimed` answers a false one.

use crate::plan::ObligationKind;

const MARKER: &[&str] = &[
    "qa marker",
    "qa_marker",
    "unique marker",
    "current-run marker",
    "user prompt marker",
    "returned marker",
    "round-trip marker",
    "marker came back",
    "marker comes back",
    "marker returned",
    "marker is returned",
    "marker echoed",
    "marker round-tripped",
    "marker is present in",
    "not seed",
    "not seeded",
    "not fixture",
    "not a fixture",
    "not fallback",
    "without seed",
    "without fixture",
    "without fallback",
    "absence of seed",
    "absence of fixture",
    "absence of fallback",
    "stale seed",
    "stale fixture",
    "stale fallback",
    "old seed",
    "cached seed",
    "cached fixture",
    "cached fallback",
    "唯一标记",
    "本次运行标记",
    "当前运行标记",
    "标记返回",
    "返回标记",
    "标记回显",
    "非种子数据",
    "不是种子数据",
    "非兜底数据",
    "不是兜底",
    "非夹具",
    "旧缓存数据",
];
const TERMINAL: &[&str] = &["answer_done", "terminal", "completed", "completion", "done", "完成", "终态"];
const PERSISTENCE: &[&str] = &[
    "persist",
    "persists",
    "persisted",
    "persistence",
    "persistent",
    "survives",
    "survive",
    "stored",
    "is saved",
    "are saved",
    "saved to",
    "saved in",
    "written to the database",
    "in the database",
    "after a restart",
    "after restart",
    "after a reload",
    "after reload",
    "durable",
    "durably",
    "持久化",
    "持久",
    "落库",
    "入库",
    "写入数据库",
    "保存到",
    "存储到",
    "重启后",
    "刷新后仍",
];
const ABSENCE: &[&str] = &[
    "must not",
    "mustn't",
    "shall not",
    "should not",
    "shouldn't",
    "never",
    "no longer",
    "does not appear",
    "do not appear",
    "does not contain",
    "do not contain",
    "does not return",
    "does not include",
    "does not exist",
    "does not show",
    "is not shown",
    "are not shown",
    "is not present",
    "is not visible",
    "is absent",
    "are absent",
    "is gone",
    "are gone",
    "不得",
    "不应",
    "禁止",
    "绝不",
    "决不",
    "不再",
    "不存在",
    "不显示",
    "不出现",
    "不包含",
    "不返回",
];

/// Kinds of obligation that a text sounds like, with the words that do.
pub(super) fn claims(text: &str) -> Vec<(ObligationKind, &'static str)> {
    let text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ").replace('’', "'");
    ObligationKind::ALL
        .into_iter()
        .filter_map(|kind| {
            let list = match kind {
                ObligationKind::Marker => MARKER,
                ObligationKind::Terminal => TERMINAL,
                ObligationKind::Persistence => PERSISTENCE,
                ObligationKind::Absence => ABSENCE,
            };
            list.iter().find(|phrase| has_phrase(&text, phrase)).map(|phrase| (kind, *phrase))
        })
        .collect()
}

/// Whether a phrase stands in a text: as whole words where it is written in letters, anywhere in Chinese.
fn has_phrase(text: &str, phrase: &str) -> bool {
    if !phrase.is_ascii() {
        return text.contains(phrase);
    }
    let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(phrase)
        .any(|(at, _)| !word(text[..at].chars().next_back()) && !word(text[at + phrase.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ObligationKind::{Absence, Marker, Persistence, Terminal};

    #[test]
    fn wording_makes_claims() {
        let cases: [(&str, &[ObligationKind]); 14] = [
            ("The order persists.", &[Persistence]),
            ("The stored total equals the total that was shown.", &[Persistence]),
            ("订单写入数据库并持久化", &[Persistence]),
            ("The job is Completed within 5 s.", &[Terminal]),
            ("任务最终完成", &[Terminal]),
            ("A guest must  not see prices.", &[Absence]),
            ("用户不得看到价格", &[Absence]),
            ("It mustn’t be sent twice.", &[Absence]),
            ("The unique marker is in the answer.", &[Marker]),
            ("返回标记且订单已完成", &[Marker, Terminal]),
            ("Placing an order answers 201 with its id and total.", &[]),
            ("An abandoned cart is emptied.", &[]),
            ("Restored prices show nevertheless.", &[]),
            ("", &[]),
        ];
        for (text, kinds) in cases {
            assert_eq!(claims(text).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>(), kinds, "{text}");
        }
    }
}
