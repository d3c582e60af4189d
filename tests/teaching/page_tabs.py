"""A tab of the browser with the page, for its tests."""

from dataclasses import dataclass, field
from functools import cache
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


@dataclass
class Tab:
    """A tab of the browser, with everything it complained about and everything it asked for."""

    page: Any
    home: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, fragment: str) -> None:
        """The page afresh, in the state that the fragment tells."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.home}#{fragment}")

    def follow(self, fragment: str) -> None:
        """The page that is open, led to another state by its address."""
        self.js(FOLLOW, fragment)

    def wait(self, text: str) -> None:
        """Until the expression is true; asked from outside, for the page's policy forbids to
        evaluate text inside."""
        for _ in range(500):
            if self.js(text):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"never true: {text}")

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
        self.js("() => fltheory.rest()")
        return str(self.js("location.hash"))


@cache
def _only_tab(browser: Any) -> Tab:
    """The one tab of a browser: a new one takes four times as long to open as a new page in it."""
    opened = browser.new_page(accept_downloads=True)
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
    """An empty tab for a page, which writes down what it complains about and asks for; it ends
    where the next one begins."""
    tab = _only_tab(browser)
    tab.page.goto("about:blank")
    tab.page.mouse.move(0, 0)
    tab.page.set_viewport_size(options.pop("viewport", VIEWPORT))
    given = {"reduced_motion": "reduce", "color_scheme": "light", "forced_colors": "none"}
    tab.page.emulate_media(**(given | options))
    tab.complaints.clear()
    tab.requests.clear()
    return Tab(tab.page, home, tab.complaints, tab.requests)
