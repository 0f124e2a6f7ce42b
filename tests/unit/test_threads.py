"""One tokenizer in many threads, tasks and processes."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import toksmith as ts

CORPORA = Path(__file__).parents[2] / "testdata" / "corpora"
SMALL = [
    json.loads(line)["text"]
    # Not splitlines: it also cuts at U+2028, which stands inside a document.
    for line in (CORPORA / "small.jsonl").read_text(encoding="utf-8").strip().split("\n")
]
RECIPES = [recipe for recipe in ts.known_recipes() if not recipe.startswith("bpe-line-fed")]


def pieces(seed: int) -> list[str]:
    """Parts of the corpus: some below, some above the size at which the lock is released."""
    rng = random.Random(seed)
    corpus = "".join(SMALL)
    starts = [rng.randrange(len(corpus)) for _ in range(60)]
    return [corpus[start : start + rng.choice([5, 300, 9_000])] for start in starts]


@pytest.mark.parametrize("recipe", RECIPES)
def test_eight_threads_share_one_tokenizer(recipe: str) -> None:
    tok = ts.train(recipe, SMALL, vocab_size=2_000)
    texts = pieces(1)
    expected = [tok.encode(text) for text in texts]
    fresh = ts.Tokenizer.from_json(tok.to_json())  # with nothing made or cached yet
    start = threading.Barrier(8)

    def work(seed: int) -> int:
        order = random.Random(seed).sample(range(len(texts)), len(texts))
        start.wait()
        for index in order:
            ids = fresh.encode(texts[index])
            assert ids == expected[index]
            assert fresh.decode(ids) == texts[index]
            assert fresh.encode_numpy(texts[index]).tolist() == ids
            assert fresh.encode_with_offsets(texts[index]).ids == ids
        assert fresh.encode_batch(texts, num_threads=1 + seed % 3) == expected
        assert fresh == tok
        return len(order)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [len(texts)] * 8


def test_threads_train_and_count_beside_each_other() -> None:
    def work(seed: int) -> bytes:
        documents = random.Random(seed).sample(SMALL, len(SMALL))
        return ts.train("isbpe-dual", documents, vocab_size=1_500, num_threads=2).to_json()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(work, range(8)))) == 1


def test_one_set_of_counts_is_trained_on_by_many_threads() -> None:
    counts = ts.count_words(SMALL)
    with ThreadPoolExecutor(4) as pool:
        files = pool.map(lambda _: ts.train("bpe", counts, vocab_size=1_000).to_json(), range(8))
        assert len(set(files)) == 1


def test_tasks_encode_in_threads_of_the_event_loop() -> None:
    tok = ts.train("isbpe-dual", SMALL, vocab_size=2_000)
    texts = pieces(2)

    async def gather() -> list[list[int]]:
        return await asyncio.gather(*(asyncio.to_thread(tok.encode, text) for text in texts))

    assert asyncio.run(gather()) == [tok.encode(text) for text in texts]


def test_streams_of_one_tokenizer_do_not_disturb_each_other() -> None:
    tok = ts.train("isbpe-dual", SMALL, vocab_size=2_000)
    texts = pieces(3)[:20]
    streams = [tok.decode_stream() for _ in texts]
    written = ["" for _ in texts]
    ids = [tok.encode(text) for text in texts]
    for step in range(max(map(len, ids))):
        for index, stream in enumerate(streams):
            if step < len(ids[index]):
                written[index] += stream.push(ids[index][step])
    assert written == texts


def test_other_threads_run_while_a_long_text_is_encoded() -> None:
    # The lock is released round the work: a thread that only counts gets on meanwhile.
    tok = ts.train("bpe", SMALL, vocab_size=2_000)
    long = "".join(SMALL) * 40
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks
    for _ in range(5):
        tok.encode_numpy(long)
    during = ticks - before
    done.set()
    thread.join()
    assert during > 0


# Forks stand in programs of their own: other libraries of the test run have threads that would be
# forked with it.

_PRELUDE = """
import multiprocessing, os, sys, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # from 3.12 on: a fork beside threads
import toksmith as ts

documents = ["the cat sat on the mat. " * 50, "def f(x):\\n    return x.y\\n" * 50]
tok = ts.train("isbpe-dual", documents, vocab_size=1_100)
expected = [tok.encode(document) for document in documents]

def encode(tok, document):
    return tok.encode_batch([document] * 3, num_threads=2)[2]
"""

_AFTER_THREADS = """
threads = [threading.Thread(target=encode, args=(tok, documents[0])) for _ in range(4)]
[thread.start() for thread in threads]
tok.encode_batch(documents * 20, num_threads=4)
"""

_FORK = """
child = os.fork()
if child == 0:
    ids = [encode(tok, document) for document in documents]
    again = ts.train("isbpe-dual", documents, vocab_size=1_100, num_threads=2)
    os._exit(0 if ids == expected and again == tok else 1)
_, status = os.waitpid(child, 0)
[thread.join() for thread in threads]
print("same" if status == 0 else "differs")
"""

_POOL = """
if __name__ == "__main__":
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        found = pool.starmap(encode, [(tok, document) for document in documents])
    print("same" if found == expected else "differs")
"""


def run(code: str, tmp_path: Path) -> str:
    script = tmp_path / "program.py"
    script.write_text(code, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_a_fork_after_threads_encodes_and_trains_alike(tmp_path: Path) -> None:
    assert run(_PRELUDE + _AFTER_THREADS + _FORK, tmp_path) == "same"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_get_tokenizers_and_encode_alike(tmp_path: Path, method: str) -> None:
    assert run(_PRELUDE + _POOL.format(method=method), tmp_path) == "same"


def test_an_exception_in_one_thread_leaves_the_tokenizer_as_it_was() -> None:
    tok = ts.train("bpe", SMALL, vocab_size=1_000, special_tokens=["<s>"])
    expected = tok.encode(SMALL[0])

    def fail(attempt: Callable[[], object]) -> None:
        with pytest.raises((TypeError, ts.ToksmithError)):
            attempt()

    attempts: list[Callable[[], object]] = [
        lambda: tok.encode("\ud800"),
        lambda: tok.encode(None),  # type: ignore[arg-type]
        lambda: tok.decode([10**6]),
        lambda: tok.encode("a", allowed_special=["<t>"]),
        lambda: tok.encode_batch(["a", None]),  # type: ignore[list-item]
    ]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(fail, attempts * 20))
    assert tok.encode(SMALL[0]) == expected


_MANY_THREADS = """
import resource, sys
import toksmith as ts

resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
texts = ["abc"] * 100_000
tok = ts.train("bpe", "low", vocab_size=256)
try:
    result = {work}
except ts.SettingsError as error:
    assert "num_threads" in str(error)
    print("refused")
else:
    assert result == 100_000
    print("right")
"""


@pytest.mark.parametrize(
    "work",
    [
        "len(tok.encode_batch(texts, num_threads=100_000))",
        "ts.count_words(texts, num_threads=100_000).total",
        "ts.count_words(texts, num_threads=10**12).total",
    ],
)
def test_more_threads_than_a_machine_can_have_end_no_program(tmp_path: Path, work: str) -> None:
    # In a program of its own, with little memory: running out of it ends a program.
    assert run(_MANY_THREADS.format(work=work), tmp_path) in {"refused", "right"}


_FORK_WHILE_A_THREAD_STARTS = """
import os, random, signal, sys, threading, time, warnings
import toksmith as ts

warnings.simplefilter("ignore", DeprecationWarning)
trained = ts.BPE().train("low lower lowest newer wider " * 50, vocab_size=300)
data = trained.to_json()
random.seed(int(sys.argv[1]))
for _ in range(40):
    tokenizer = trained.with_encoder("merge-rank")
    thread = threading.Thread(
        target=lambda: (tokenizer.encode("hello world " * 1000), ts.Tokenizer.from_json(data))
    )
    thread.start()
    time.sleep(random.random() * 0.004)
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        ok = tokenizer.encode("low") == ts.Tokenizer.from_json(data).encode("low")
        os._exit(0 if ok else 1)
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.parametrize("seed", ["1", "2"])
def test_a_child_forked_while_another_thread_first_encodes_does_not_hang(seed: str) -> None:
    command = [sys.executable, "-c", _FORK_WHILE_A_THREAD_STARTS, seed]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
