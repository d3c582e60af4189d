"""A tab of the browser with the page, for its tests."""

import atexit
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SCENES = ("drift", "async", "stragglers", "anarchic", "counterexample", "forever", "theorem")
VIEWPORT = {"width": 1280, "height": 720}
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Two frames, in which the page adapts what it draws to its room."""
EXAMPLES = f"""async () => {{ const found = [];
  for (const one of document.querySelectorAll("#presets button")) {{
    one.click(); fltheory.rest(); await {FRAMES};
    found.push([one.textContent, (QUESTION)()]); }}
  return found; }}"""
"""A question asked after each example of a scene, all in one visit of the browser."""
FOLLOW = f"""async (fragment) => {{ location.hash = fragment; await {FRAMES};
  fltheory.rest(); await {FRAMES}; }}"""

WAIT = """async () => { for (let k = 0; k < 500 && !(EXPRESSION); k++)
    await new Promise((done) => setTimeout(done, 20));
  return Boolean(EXPRESSION); }"""
AS_NEW = f"""async (fragment) => {{ const at = (name) => document.getElementById(name);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  at("explanation").close();
  if (document.body.classList.contains("full")) at("full").click();
  while (document.fullscreenElement) await new Promise(requestAnimationFrame);
  if (at("play").textContent === "Pause") at("play").click();
  if ((document.documentElement.dataset.theme === "dark") !== dark) at("theme").click();
  at("speed").value = "1"; at("live").textContent = "";
  document.activeElement.blur(); scrollTo(0, 0); fltheory.rest();
  const same = new URL(`#${{fragment}}`, location).hash === location.hash;
  const led = new Promise((done) => addEventListener("hashchange", done, {{ once: true }}));
  location.hash = same ? fragment + (fragment.includes("?") ? "&" : "?") : fragment;
  await led; fltheory.rest(); await {FRAMES}; }}"""
"""A page that is open, as if it were new: its own buttons undo what outlasts a change of address,
and an address that it has already is given once more."""
UNSEEN = """() => { const sheet = new CSSStyleSheet(); sheet.replaceSync("html { opacity: 0 }");
  document.adoptedStyleSheets = [sheet]; }"""
"""Nobody looks: all is laid out and can be asked and clicked, but no pixel is painted, which takes
half of the browser's time."""


@cache
def _folder() -> Path:
    kept = TemporaryDirectory()
    atexit.register(kept.cleanup)
    return Path(kept.name)


def address_of(text: str) -> str:
    """The address of a page with this text; the same text has the same address, so that a tab need
    not load it again."""
    file = _folder() / f"{sha256(text.encode()).hexdigest()[:16]}.html"
    if not file.exists():
        file.write_text(text, encoding="utf-8")
    return file.as_uri()


@dataclass
class Tab:
    """A tab of the browser, with everything it complained about and everything it asked for."""

    page: Any
    home: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def load(self, fragment: str) -> None:
        """The page read anew, in the state that the fragment tells."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.home}#{fragment}")

    def open(self, fragment: str) -> None:
        """The page as if new, in the state that the fragment tells; read anew only where the tab
        shows another one."""
        if self.page.url.partition("#")[0] == self.home:
            self.js(AS_NEW, fragment)
        else:
            self.load(fragment)

    def follow(self, fragment: str) -> None:
        """The page that is open, led to another state by its address."""
        self.js(FOLLOW, fragment)

    def wait(self, text: str) -> None:
        """Until the expression is true; given from outside, for the page's policy forbids to
        evaluate text inside."""
        assert self.js(WAIT.replace("EXPRESSION", text)), f"never true: {text}"

    def js(self, text: str, argument: Any = None) -> Any:
        """What an expression or a function of the page gives."""
        return self.page.evaluate(text, argument)

    def in_each_example(self, question: str) -> dict[str, Any]:
        """What a function of the page gives once the button of each example is pressed."""
        return dict(self.js(EXAMPLES.replace("QUESTION", question)))

    @property
    def fragment(self) -> str:
        """The address once the page has come to rest: exact numbers and address follow a slider's
        move."""
        return str(self.js("() => { fltheory.rest(); return location.hash; }"))


@cache
def _only_tab(browser: Any) -> Tab:
    """The one tab of a browser: a new one takes four times as long to open as a new page in it."""
    opened = browser.new_page(accept_downloads=True)
    opened.add_init_script(f"({UNSEEN})()")
    tab = Tab(opened, "")
    opened.on(
        "console",
        lambda message: (
            tab.complaints.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    opened.on("pageerror", lambda error: tab.complaints.append(str(error)))
    opened.on("request", lambda request: tab.requests.append(request.url))
    return tab


def new_tab(browser: Any, home: str, **options: Any) -> Tab:
    """A tab for a page, which writes down what it complains about and asks for; it ends where the
    next one begins, and keeps what it shows until a page is opened."""
    tab = _only_tab(browser)
    tab.page.mouse.move(0, 0)
    tab.page.set_viewport_size(options.pop("viewport", VIEWPORT))
    given = {"reduced_motion": "reduce", "color_scheme": "light", "forced_colors": "none"}
    tab.page.emulate_media(**(given | options))
    tab.complaints.clear()
    tab.requests.clear()
    return Tab(tab.page, home, tab.complaints, tab.requests)
