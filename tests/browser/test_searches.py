"""What readers type finds something: words, questions and names with a slip, hundreds of them on one page."""

import json
import re

import pytest
import searches
from browsing import CHECKOUT, LANGUAGES, LONG

from shardbook_sphinx.reference.names import Names

# Words that the pages had when the list was made, and no longer have: Chinese of today says it otherwise.
GONE = {"之下", "应当", "由它"}
# Questions whose answer is not among the first three results: what stands in the way.
UNREACHED = {
    "which communication does XLA insert": "the entries of Auto and of the cost of communication have the same words",
    "axis_index_groups in shard_map": "of two words, the reference comes before errors",
    "pass a non-array to shard_map": "what else may not be passed has the same words",
    "pmap 怎么把数据分到多个设备": "entries on several processes and several devices have the same words",
    "收缩维被切分，输出分片不明确": "the glossary and the explanations have the same words",
}
# Slips that make another word, or are as near to another name.
OTHERWISE = {"sharing", "axisttypes"}
HANGS = "guides/hangs-and-restarts.html#it-hangs-tell-deadlocks-apart-survive-preemption-restart-with-fewer"
RINGS = "guides/long-sequences.html#long-sequences-ring-attention-all-to-all-ulysses-zig-zag"
# What is said elsewhere -> what comes first here, and what must be among the first three.
CALLED = {
    "en": {
        "FSDP": ("glossary.html#term-fully-sharded-data-parallelism", "train/state.html#split-the-state-zero-and-fsdp"),
        "ZeRO": ("glossary.html#term-fully-sharded-data-parallelism", "train/state.html#split-the-state-zero-and-fsdp"),
        "GPU": ("glossary.html#term-device", "learn/devices.html#where-an-array-lives"),
        "TPU": ("glossary.html#term-device", "learn/devices.html#where-an-array-lives"),
        "out of memory": ("guides/out-of-memory.html#out-of-memory", "glossary.html#term-device-memory"),
        "OOM": ("glossary.html#term-device-memory", "guides/out-of-memory.html#out-of-memory"),
        "hang": ("glossary.html#term-hang", HANGS),
        "deadlock": ("glossary.html#term-hang", HANGS),
        "slow": ("glossary.html#term-cost-of-communication", "guides/cost-of-moving.html#what-does-it-cost-to-move"),
        "performance": (
            "glossary.html#term-cost-of-communication",
            "explain/product-cost.html#what-does-this-product-cost",
        ),
        "data parallel": ("glossary.html#term-data-parallelism", "learn/placing.html#placing-an-array"),
        "tensor parallel": (
            "glossary.html#term-tensor-parallelism",
            "train/products.html#split-the-products-tensor-parallel",
        ),
        "model parallel": (
            "glossary.html#term-tensor-parallelism",
            "train/products.html#split-the-products-tensor-parallel",
        ),
        "multi host": ("glossary.html#term-process", "reference/processes.html#several-processes"),
        "checkpoint": (
            "guides/keep-recompute-offload.html#keep-recompute-offload-jax-checkpoint",
            "glossary.html#term-checkpoint",
        ),
        "pipeline parallel": (
            "glossary.html#term-pipeline-parallelism",
            "guides/pipelines.html#pipeline-parallelism-stages-on-devices-gpipe-and-circular",
        ),
        "context parallelism": ("glossary.html#term-sequence-parallelism", RINGS),
        "preemption": ("glossary.html#term-fault-tolerance", HANGS),
        "allreduce": ("glossary.html#term-all-reduce", "reference/collectives.html#collectives"),
    },
    "zh": {
        "显存": ("glossary.html#term-device-memory", "guides/out-of-memory.html#out-of-memory"),
        "爆显存": ("glossary.html#term-device-memory", "guides/out-of-memory.html#out-of-memory"),
        "多卡": ("glossary.html#term-distributed-training", "train/index.html#train"),
        "单机多卡": ("glossary.html#term-distributed-training", "train/index.html#train"),
        "分布式训练": ("glossary.html#term-distributed-training", "learn/three-ways.html#three-ways-one-layer"),
        "多机": ("glossary.html#term-process", "reference/processes.html#several-processes"),
        "规约": ("glossary.html#term-all-reduce", "reference/collectives.html#collectives"),
        "全规约": ("glossary.html#term-all-reduce", "reference/collectives.html#collectives"),
        "AllReduce": ("glossary.html#term-all-reduce", "reference/collectives.html#collectives"),
        "全聚合": ("glossary.html#term-all-gather", "reference/collectives.html#collectives"),
        "算子": ("glossary.html#term-operation", "glossary.html#term-operation"),
        "模型并行": ("glossary.html#term-tensor-parallelism", "train/products.html#split-the-products-tensor-parallel"),
        "序列并行": ("glossary.html#term-sequence-parallelism", RINGS),
        "卸载": ("glossary.html#term-memory-kind", "reference/jit.html#another-memory"),
        "死锁": ("glossary.html#term-hang", HANGS),
        "卡住": ("glossary.html#term-hang", "errors/error-collective-stuck.html"),
        "挂起": ("glossary.html#term-hang", HANGS),
        "轴顺序": ("glossary.html#term-axis-order", "explain/axis-order.html#axis-order"),
        "即时执行": ("glossary.html#term-eager-execution", "reference/shard-map.html#eager-or-under-jit"),
        "动态图": ("glossary.html#term-eager-execution", "reference/shard-map.html#eager-or-under-jit"),
        "eager": ("glossary.html#term-eager-execution", "reference/shard-map.html#eager-or-under-jit"),
        "性能": ("glossary.html#term-cost-of-communication", "guides/cost-of-moving.html#what-does-it-cost-to-move"),
        "速度": ("glossary.html#term-cost-of-communication", "guides/cost-of-moving.html#what-does-it-cost-to-move"),
        "开销": ("glossary.html#term-cost-of-communication", "guides/cost-of-moving.html#what-does-it-cost-to-move"),
        "编译到中间表示": ("glossary.html#term-lowering", "glossary.html#term-lowering"),
        "断点续训": ("glossary.html#term-checkpoint", "errors/trap-numpy-function.html"),
        "崩溃": ("glossary.html#term-fault-tolerance", "reference/processes.html#several-processes"),
    },
}
# Names with other slips: swapped and wrong letters, words for an underscore, an end that is missing.
MEANT = {
    "shardmap": "reference/shard-map.html#jax.shard_map",
    "jax.shardmap": "reference/shard-map.html#jax.shard_map",
    "named sharding": "reference/named-sharding.html#jax.sharding.NamedSharding",
    "partionspec": "reference/named-sharding.html#jax.sharding.PartitionSpec",
    "PartitionSepc": "reference/named-sharding.html#jax.sharding.PartitionSpec",
    "with sharding constrain": "reference/jit.html#jax.lax.with_sharding_constraint",
    "make mesh": "reference/mesh.html#jax.make_mesh",
    "x.adressable_shards": "reference/arrays.html#jax.Array.addressable_shards",
    "devise_put": "reference/placing.html#jax.device_put",
}
# The pages on training, on fitting and on speed.
PRACTICAL = (
    "train/",
    "guides/checkpoints.html",
    "guides/ensembles-and-solvers.html",
    "guides/experts.html",
    "guides/hide-communication.html",
    "guides/serve.html",
    "guides/stencils-and-ffts.html",
    "planner.html",
    "guides/each-process-its-rows.html",
    "guides/from-pytorch.html",
    "guides/hangs-and-restarts.html",
    "guides/kernels-on-shards.html",
    "guides/long-sequences.html",
    "guides/pipelines.html",
    "guides/start-processes.html",
    "guides/which-mesh.html",
    "guides/chips.html",
    "guides/got-slower.html",
    "guides/guard-a-layout.html",
    "guides/hosts-and-slices.html",
    "guides/keep-recompute-offload.html",
    "guides/out-of-memory.html",
    "guides/random-numbers.html",
    "guides/slow-compilation.html",
    "guides/what-stays-local.html",
    "guides/will-it-fit.html",
)
FIRST = 3
FIND = """async ([script, queries, first]) => {
    const { find } = await import(script);
    const urls = new Map();
    const url = async ({ id, data }) => {
        if (!urls.has(id)) urls.set(id, (await data()).raw_url);
        return urls.get(id);
    };
    const found = {};
    for (const query of queries) {
        found[query] = await Promise.all((await find(query)).slice(0, first).map(url));
    }
    return found;
}"""


def find(page, address, language, queries):
    """The first results for each query, from the folder of the language."""
    page.goto(f"{address}/{language}/search.html")
    return page.evaluate(FIND, [f"{address}/{language}/_static/search.js", list(queries), FIRST])


def empty(found):
    return [query for query, urls in found.items() if not urls]


def plant(page, name, old, new):
    """Have the browser get a script of the search with a fault."""
    text = (CHECKOUT / "docs/_static" / name).read_text(encoding="utf-8")
    assert old in text
    body = text.replace(old, new)
    page.route(f"**/_static/{name}", lambda route: route.fulfill(body=body, content_type="text/javascript"))


def typed_names(site):
    """The names that have an entry, as they are typed."""
    known = json.loads((site / "en/pagefind/names.json").read_text(encoding="utf-8"))["names"]
    names = [name for name, _ in known if re.match(r"(jax|shardbook)\.", name)]
    members = {name for name in names if name.startswith("jax.array.")} | set(Names(frozenset(names)).members)
    return list(dict.fromkeys(searches.typed(name, members) for name in names))


def test_the_commonest_words_are_found(page, address):
    words = searches.words()[:: 1 if LONG else 2]
    assert [word for word in empty(find(page, address, "zh", words)) if word not in GONE] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_lead_to_their_answers(page, address, language):
    questions = searches.questions(language)
    assert len(questions) == 100
    found = find(page, address, language, [question.text for question in questions])
    assert empty(found) == []
    answered = [each for each in questions if each.answers]
    # Chinese ones on a page loaded anew, as readers ask: what Pagefind has loaded for a character changes what it finds
    # for another, and neither its destroy() nor its scripts imported under another address make it quite forget.
    if LONG or language == "zh":
        answered = answered if LONG else answered[::6]
        for each in answered:
            found |= find(page, address, language, [each.text])
    missed = [each.text for each in answered if not any(map(each.is_answered_by, found[each.text]))]
    assert missed == [each.text for each in answered if each.text in UNREACHED]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_slip_leads_where_the_name_leads(page, address, site, language):
    wrong = {slip: name for name in typed_names(site) for slip in searches.slips(name)}
    assert len(wrong) > 500
    if not LONG:
        wrong = dict(list(wrong.items())[LANGUAGES.index(language) :: 8])
    found = find(page, address, language, {*wrong, *wrong.values()})
    assert [slip for slip, name in wrong.items() if found[slip][:1] != found[name][:1] and slip not in OTHERWISE] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_slips(page, address, language):
    assert {query: urls[0] for query, urls in find(page, address, language, MEANT).items()} == MEANT


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_called_otherwise_elsewhere(page, address, language):
    found = find(page, address, language, CALLED[language])
    wrong = {word for word, (first, _) in CALLED[language].items() if found[word][0] != first}
    assert wrong | {word for word, (_, then) in CALLED[language].items() if then not in found[word]} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_practice_lead_to_pages_of_practice(page, address, language):
    words = searches.practice(language)
    assert len(words) == 46
    found = find(page, address, language, words)
    assert {word: urls for word, urls in found.items() if not any(url.startswith(PRACTICAL) for url in urls)} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_after_a_name_comes_what_teaches_it(page, address, language):
    found = find(page, address, language, ["shard_map", "PartitionSpec", "psum"])
    assert all(urls[0].startswith("reference/") for urls in found.values())
    assert all(any(url.startswith(("learn/", "guides/", "explain/")) for url in urls) for urls in found.values())
    assert any(url.startswith("learn/manual") for url in found["shard_map"])


def test_terms_lead_to_the_same_in_both_languages(site):
    """Sphinx can exchange the targets of links in a translated paragraph."""
    terms = {}
    for language in LANGUAGES:
        known = json.loads((site / language / "pagefind/names.json").read_text(encoding="utf-8"))
        terms[language] = [(term, more) for term, _, more in known["terms"]]
    assert terms["en"] == terms["zh"]


def test_looking_for_the_first_character_alone_is_found(page, address):
    """So the search once told whether a word was found: Pagefind does not always say where its first character is."""
    old = "let ranked = words.length ? await ranking(words, message, asked) : [];"
    check = '(await ranked[0].data()).content.split(" ")[place].includes(words[0][0])'
    rule = f"for (const place of ranked[0]?.words ?? []) if ({check}) return Object.assign(ranked, {{ words }});"
    plant(page, "search.js", old, f"{old} {rule} return Object.assign([], {{ words }});")
    assert set(empty(find(page, address, "zh", searches.words()[:150]))) - GONE


def test_a_search_without_the_terms_is_found(page, address):
    plant(page, "search.js", "known.terms.map(", "[].map(")
    found = find(page, address, "zh", CALLED["zh"])
    assert [word for word, (_, then) in CALLED["zh"].items() if then not in found[word]]


def test_a_search_that_forgives_no_slip_is_found(page, address):
    plant(page, "slips.js", "return length < 4 ? 0 : length < 8 ? 1 : 2;", "return 0;")
    found = find(page, address, "en", MEANT)
    assert [query for query, url in MEANT.items() if found[query][:1] != [url]]
