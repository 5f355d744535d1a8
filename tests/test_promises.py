"""Promises of SECURITY.md that no other test holds Isogloss to."""

import pickle
import threading
from collections.abc import Iterator
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from urllib.request import Request

import pytest

from isogloss.corpora.download import _OnlyWeb, download
from isogloss.corpora.fetch import fetch
from isogloss.encoders import Encoder
from isogloss.errors import IsoglossError
from isogloss.runs.ray import PASSED_ON, Ray


class Planted:
    """A pickle that writes a file when it is opened."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt"])
def test_a_planted_pickle_does_not_run(tmp_path: Path, name: str) -> None:
    mark, folder = tmp_path / "ran", tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "bert", "architectures": ["BertModel"]}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / name).write_bytes(pickle.dumps(Planted(mark)))
    with pytest.raises(IsoglossError):
        Encoder(str(folder), device="cpu")
    assert not mark.exists()
    pickle.loads((folder / name).read_bytes())
    assert mark.exists()


@pytest.fixture
def redirecting() -> Iterator[tuple[str, list[str]]]:
    """A server that sends everyone to where it was told, and its list of what was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(302)
            self.send_header("Location", "file:///etc/hostname")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/data.zip", asked
        server.shutdown()
        thread.join()


def test_a_download_is_not_sent_to_a_file_of_this_machine(redirecting: tuple[str, list[str]], tmp_path: Path) -> None:
    url, asked = redirecting
    with pytest.raises(IsoglossError, match=r"only http and https|is not allowed"):
        download(url, tmp_path / "data.zip")
    assert asked == ["/data.zip"]
    assert list(tmp_path.iterdir()) == []


def test_a_download_never_goes_from_https_down_to_http() -> None:
    def follow(start: str, there: str) -> object:
        return _OnlyWeb().redirect_request(Request(start), None, 302, "Found", Message(), there)

    with pytest.raises(IsoglossError, match="redirected from https to http"):
        follow("https://example.org/a", "http://example.org/a")
    assert follow("https://example.org/a", "https://example.org/b")
    assert follow("http://example.org/a", "https://example.org/b")


@pytest.mark.parametrize("code", ["../../evil", "/etc/passwd", "..", "de/../../evil", "de\n"])
def test_a_language_is_no_path(tmp_path: Path, code: str) -> None:
    with pytest.raises(IsoglossError):
        fetch("muse", tmp_path / "in", [code])
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_a_ray_worker_gets_the_variables_that_are_named_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, dict[str, str]] = {}
    fake = SimpleNamespace(
        is_initialized=lambda: False,
        init=lambda **settings: given.update(settings["runtime_env"]),
        shutdown=lambda: None,
        exceptions=SimpleNamespace(RayError=RuntimeError),
    )
    monkeypatch.setattr("isogloss.runs.ray.load_ray", lambda: fake)
    monkeypatch.setattr("isogloss.runs.ray.stop_on_sigterm", lambda: None)
    for name in (*PASSED_ON, "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "PASSWORD"):
        monkeypatch.setenv(name, f"value of {name}")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with Ray()._connected():
        pass
    ours = {"TOKENIZERS_PARALLELISM", "HF_HUB_DISABLE_PROGRESS_BARS"}
    assert set(given["env_vars"]) == {*PASSED_ON, *ours}
    assert len(PASSED_ON) == 5
