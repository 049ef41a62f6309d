"""Text without spaces between its words is found by full text, on both databases."""

from __future__ import annotations

import pytest

from studio.knowledge import index_pairs, search_words
from tests.store.kept_documents import found, kept
from tests.store.stores import OpenStore

JAPANESE = {
    "正社員は毎月二日半の年次有給休暇を取得できます。": "有給休暇は毎月何日もらえますか",
    "残業手当は翌月の給与と一緒に支払われます。": "残業手当はいつ支払われますか",
    "社員証を紛失した場合は受付に届け出てください。": "社員証を紛失したらどこに届けますか",
    "バックアップはレイキャビクの金庫に保管されています。": "バックアップの保管場所はどこですか",
    "Python入門の研修は毎週木曜日に開かれます。": "Python の研修は何曜日ですか",
    "通勤手当は上限三万円まで支給されます。": "通勤手当の上限はいくらですか",
}
CHINESE = {
    "员工每月可享受两天半的带薪年假。": "每个月有几天年假？",
    "加班费与下个月的工资一起发放。": "加班费什么时候发放？",
    "遗失门禁卡请到前台登记。": "门禁卡丢了在哪里登记？",
    "备份保存在雷克雅未克的保险库中。": "备份保存在什么地方？",
    "防火演习在每月第一个星期二中午举行。": "防火演习几点举行？",
    "停车证每月收费十五元。": "停车证要多少钱？",
}
KOREAN = {
    "정규직 직원은 매달 이틀 반의 연차를 받습니다.": "연차는 매달 며칠인가요?",
    "초과근무 수당은 다음 달 급여와 함께 지급됩니다.": "초과근무 수당이 언제 지급되나요?",
    "출입증을 분실하면 안내데스크에 신고하세요.": "출입증 분실은 어디에 신고하나요?",
    "백업은 레이캬비크의 금고에 보관됩니다.": "백업을 어디에 보관하나요?",
    "화재 대피 훈련은 매월 첫째 화요일에 실시합니다.": "화재 대피 훈련은 언제 실시하나요?",
    "주차권은 한 달에 만오천 원입니다.": "주차권이 얼마인가요?",
}


@pytest.mark.parametrize("facts", [JAPANESE, CHINESE, KOREAN], ids=["Japanese", "Chinese", "Korean"])
async def test_questions_find_their_fact_within_two_hits(open_it: OpenStore, facts: dict[str, str]) -> None:
    async with open_it() as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        for fact in (*JAPANESE, *CHINESE, *KOREAN):
            await kept(store, base.id, f"{fact}.txt", fact)
        for fact, question in facts.items():
            assert f"{fact}.txt" in (await found(store, base.id, question))[:2], question


@pytest.mark.parametrize("query", ["犬", "子犬", "ﾈｺ", "python", "Ｐｙｔｈｏｎ"])
async def test_one_character_and_other_forms_of_characters_are_found(open_it: OpenStore, query: str) -> None:
    async with open_it() as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        await kept(store, base.id, "pets.txt", "小さな子犬とネコ。Python入門")
        await kept(store, base.id, "other.txt", "大きな鳥。Java入門")
        assert await found(store, base.id, query) == ["pets.txt"]


async def test_what_is_removed_is_no_longer_found(open_it: OpenStore) -> None:
    async with open_it() as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        one = await kept(store, base.id, "one.txt", "有給休暇")
        await store.knowledge.remove(base.id, one.id)
        assert await found(store, base.id, "休暇") == []


def test_other_scripts_cost_the_index_nothing() -> None:
    assert index_pairs("Flights leave at noon, Straße, Москва, ελληνικά.") == ""
    assert index_pairs("年次休暇 (leave)") == "年次 次休 休暇 暇"
    assert index_pairs("Python入門") == "python 入門 門"


def test_questions_are_pairs_of_characters_and_words() -> None:
    assert search_words("Where is the 年次休暇?") == ["年次", "次休", "休暇"]
    assert search_words("犬 python") == ["犬", "python"]
