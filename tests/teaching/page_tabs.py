"""A tab of the browser with the page, for its tests."""

from dataclasses import dataclass, field
from typing import Any

SCENES = ("drift", "async", "stragglers", "anarchic", "counterexample")


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

    @property
    def fragment(self) -> str:
        """The address once the page has come to rest: exact numbers and address follow a slider's
        move."""
        self.js("() => fltheory.rest()")
        return str(self.js("location.hash"))


def new_tab(browser: Any, home: str, **options: Any) -> Tab:
    """A tab that writes down what it complains about and asks for."""
    opened = browser.new_page(**{"reduced_motion": "reduce", "accept_downloads": True, **options})
    tab = Tab(opened, home)
    opened.on(
        "console",
        lambda message: (
            tab.complaints.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    opened.on("pageerror", lambda error: tab.complaints.append(str(error)))
    opened.on("request", lambda request: tab.requests.append(request.url))
    return tab
