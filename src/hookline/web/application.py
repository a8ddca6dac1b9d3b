"""The application: each page and its actions at its own path, and one stream of live updates."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from urllib.parse import parse_qsl, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from hookline.core.registry import Registry
from hookline.core.store import StoreFailed
from hookline.web.dashboard import Dashboard, Page, Update, View
from hookline.web.guard import Guard
from hookline.web.keys import COOKIE, Keys
from hookline.web.live_updates import Feed
from hookline.web.render import FOLDER, build_templates

PAGES = Registry(package="hookline.web.pages", noun="page", constant="PAGE")
ENTER, EVENTS, STATIC = "/enter", "/events", "/static"
FIRST_PAGE = "now"


def build_app(dashboard: Dashboard, feed: Feed, keys: Keys, address: str) -> ASGIApp:
    """Return the application that serves *dashboard* at *address*, such as `127.0.0.1:8000`."""
    pages: Mapping[str, Page] = {name: PAGES.load(name) for name in PAGES.names()}
    site = _Site(dashboard, feed, keys, dict(sorted(pages.items(), key=lambda item: item[1].order)))

    @asynccontextmanager
    async def run_feed(app: Starlette) -> AsyncIterator[None]:
        counting = asyncio.create_task(asyncio.to_thread(_count_spendings, dashboard))
        async with feed.run():
            yield
        await counting  # the caller closes the store next

    routes = [
        Route("/", lambda request: RedirectResponse(f"/{FIRST_PAGE}")),
        Route(ENTER, site.enter, methods=["POST"]),
        Route(EVENTS, site.stream),
        Route("/{page}", site.show),
        Route("/{page}/{action}", site.change, methods=["POST"]),
        Mount(STATIC, StaticFiles(directory=os.path.join(FOLDER, "static"))),
    ]
    app = Starlette(routes=routes, lifespan=run_feed)
    return Guard(app, address=address, keys=keys, open_paths=(ENTER, f"{STATIC}/"))


class _Site:
    """The functions behind the paths."""

    def __init__(self, dashboard: Dashboard, feed: Feed, keys: Keys, pages: Mapping[str, Page]) -> None:
        self._dashboard, self._feed, self._keys, self._pages = dashboard, feed, keys, pages
        self._templates = build_templates()
        self._notices: dict[str, str] = {}
        """The result of the last change of each viewer, shown once."""

    async def enter(self, request: Request) -> Response:
        """Exchange the token of the link for a cookie."""
        cookie = self._keys.redeem((await _read_form(request)).get("token", ""))
        if cookie is None:
            return self._ask_for_link(problem="This link is wrong or was used before.")
        response = RedirectResponse("/", 303)
        response.set_cookie(COOKIE, cookie, httponly=True, samesite="strict", path="/")
        return response

    def show(self, request: Request) -> Response:
        if not request.state.viewer:
            return self._ask_for_link(problem="")
        name = request.path_params["page"]
        if name not in self._pages:
            return PlainTextResponse("no such page", 404)
        params = dict(request.query_params)
        try:
            shown = self._pages[name].query(self._dashboard, params)
        except LookupError as error:
            return self._render(request, name, _describe(error), 404)
        except (StoreFailed, OSError) as error:
            return self._render(request, name, _describe(error), 503)
        return self._render(request, name, shown, 200)

    def _render(self, request: Request, name: str, shown: View, status: int) -> Response:
        viewer = request.state.viewer
        frame = {
            "page": name,
            "pages": self._pages,
            "csrf": self._keys.form_token(viewer),
            "read_only": self._dashboard.read_only,
            "notice": self._notices.pop(viewer, ""),
            "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            "live": f"{EVENTS}?{urlencode({**request.query_params, 'page': name})}"
            if self._pages[name].live and shown.live
            else "",
        }
        text = self._templates.get_template(shown.template).render({**frame, **shown.values})
        return HTMLResponse(text, status)

    def _ask_for_link(self, problem: str) -> Response:
        return HTMLResponse(self._templates.get_template("enter.html").render(problem=problem), 401)

    async def change(self, request: Request) -> Response:
        """Carry out an action of a page for a viewer, and show the page again."""
        form, viewer = await _read_form(request), request.state.viewer
        if self._dashboard.read_only:
            return PlainTextResponse("this dashboard is read-only", 403)
        if not self._keys.is_form_token(viewer, form.pop("csrf", "")):
            return PlainTextResponse("this form is not from this dashboard; load the page again", 403)
        page = self._pages.get(request.path_params["page"])
        action = page.actions.get(request.path_params["action"]) if page else None
        if action is None:
            return PlainTextResponse("no such action", 404)
        self._notices[viewer] = await run_in_threadpool(_carry_out, action, self._dashboard, form)
        return RedirectResponse(_local_path(form.get("back", "")), 303)

    async def stream(self, request: Request) -> Response:
        """Send the live parts of a page as they change."""
        params = dict(request.query_params)
        page = self._pages.get(params.pop("page", ""))
        if not request.state.viewer or page is None or page.live is None:
            return PlainTextResponse("no such stream", 404)
        key = (page.title, urlencode(sorted(params.items())))

        async def send() -> AsyncIterator[str]:
            yield "retry: 1000\n\n"
            async for update in self._feed.follow():
                text = update.rendered.get(key)
                if text is None:
                    text = await asyncio.to_thread(self._format_update, page, update, params)
                    update.rendered[key] = text
                if text:
                    yield text

        return StreamingResponse(send(), media_type="text/event-stream")

    def _format_update(self, page: Page, update: Update, params: Mapping[str, str]) -> str:
        assert page.live is not None  # noqa: S101 -- `stream` has checked it
        parts = [(part, self._render_part(shown)) for part, shown in page.live(update, params)]
        return "".join(f"event: {part}\ndata: {json.dumps(text)}\n\n" for part, text in parts)

    def _render_part(self, shown: View) -> str:
        frame = {"read_only": self._dashboard.read_only, "csrf": ""}
        return self._templates.get_template(shown.template).render({**frame, **shown.values})


def _count_spendings(dashboard: Dashboard) -> None:
    with suppress(StoreFailed, OSError):  # the page reports it
        dashboard.spendings.read()


def _describe(error: Exception) -> View:
    return View(template="missing.html", values={"text": str(error)}, live=False)


def _carry_out(
    action: Callable[[Dashboard, Mapping[str, str]], str], dashboard: Dashboard, form: Mapping[str, str]
) -> str:
    try:
        return action(dashboard, form)
    except (LookupError, ValueError, StoreFailed, OSError) as error:
        return f"Not done: {error}"


async def _read_form(request: Request) -> dict[str, str]:
    body = (await request.body()).decode("utf-8", "replace")
    return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=100))


def _local_path(path: str) -> str:
    """Return *path* if it is a page of this server, so that a form cannot lead elsewhere."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"
