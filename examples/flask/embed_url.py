"""The token endpoint of <platform-embed>, for Flask. It uses Flask and Python's standard library.

    from embed_url import embed_url

    app.register_blueprint(embed_url)  # with Flask-WTF's CSRFProtect also: csrf.exempt(embed_url)

Set EMBED_API_BASE_URL and EMBED_API_KEY, and write scope_of_visitor() and visitor() for your own sessions.
"""

import json
import logging
import os
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from flask import Blueprint, request

from users import current_user, scope_of

API_BASE_URL = os.environ["EMBED_API_BASE_URL"].rstrip("/")
if not API_BASE_URL.startswith(("https://", "http://")):
    raise RuntimeError("EMBED_API_BASE_URL must begin with https:// (or, on your machine, http://).")
API_KEY = os.environ["EMBED_API_KEY"].strip()
if not API_KEY:
    raise RuntimeError("EMBED_API_KEY is empty.")
TIMEOUT_SECONDS = 10
SERVICE = "files"
# Other origins whose pages may call this endpoint, separated by spaces.
ORIGINS = os.environ.get("EMBED_PAGE_ORIGINS", "").split()

# For the console of the page's developer. The log says more.
REFUSALS = {
    "invalid_api_key": "The platform does not know EMBED_API_KEY: it is mistyped, cut off or revoked.",
    "scope_not_allowed": "EMBED_API_KEY does not allow this scope; this server's log says which member.",
    "not_found": "EMBED_API_BASE_URL is not the address of the platform's API.",
    "platform_invalid": "EMBED_API_BASE_URL is not the address of the platform's API.",
}

embed_url = Blueprint("embed_url", __name__)


def scope_of_visitor():
    """What this visitor may see: from your session, never from the request. None if nobody is signed in."""
    user = current_user()
    return scope_of(user) if user else None


def visitor():
    """Who this visitor is: your id, with which you can revoke their tokens, and a name if you like ("name"). Or None."""
    user = current_user()
    return {"id": user["id"], "name": user["name"]}


@embed_url.post("/embed-url")
def answer():
    if not asked_by_own_page():
        return refusal(403, "cross_site", "This address serves its own pages only.")
    if asked_service() not in (None, SERVICE):
        return refusal(403, "service_not_allowed", "This address serves another service.")
    scope = scope_of_visitor()
    if scope is None:
        return refusal(401, "not_signed_in", "Sign in first.")
    return issue(scope)  # In Django or FastAPI, JsonResponse takes these three: body, status and headers.


@embed_url.after_request
def keep_out_of_caches(response):
    response.headers["Cache-Control"] = "no-store"
    return response


def asked_by_own_page():
    """Browsers send Sec-Fetch-Site; older ones send only Origin. A request with neither does not come from a browser."""
    origin = request.headers.get("Origin")
    if origin in ORIGINS:
        return True
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    # A proxy may have replaced the Host header. Another site's page cannot set this header.
    host = request.headers.get("X-Forwarded-Host", request.host).split(",")[0].strip()
    return origin in (None, f"https://{host}", f"http://{host}")


def asked_service():
    """The service that the page names, if any."""
    body = request.get_json(force=True, silent=True)
    return body.get("service") if isinstance(body, dict) else None


def issue(scope):
    """Requests a URL from the platform. If the platform refuses this server, it is a 502, never a 401: a 401 asks the visitor to sign in."""
    asked = {"service": SERVICE, "scope": scope}
    if (who := visitor()) is not None:
        asked["visitor"] = who
    try:
        status, headers, body = ask_platform(asked)
    except (OSError, HTTPException) as error:
        log(code="platform_unreachable", error=str(error))
        return refusal(503, "platform_unreachable", "The platform cannot be reached just now.")
    issued = {name: body.get(name) for name in ("url", "expiresAt", "service")}
    if status == 200 and all(issued.values()):
        return issued, 200, {}

    request_id = headers.get("X-Request-Id")
    busy = status in (408, 429) or status >= 500
    code = body["code"] if isinstance(body.get("code"), str) else "platform_invalid"
    if busy:
        code = "platform_unavailable"
    log(status=status, code=code, requestId=request_id, error=body.get("error"), issues=body.get("issues"))
    if busy:
        again = {"Retry-After": headers["Retry-After"]} if "Retry-After" in headers else {}
        return refusal(503, code, "The platform cannot be reached just now.", request_id, again)
    return refusal(502, code, REFUSALS.get(code, "The platform refused; this server's log says why."), request_id)


class NoRedirects(HTTPRedirectHandler):
    """Redirects are not followed, so that the key goes only to the platform."""

    def redirect_request(self, *_):
        return None


platform = build_opener(NoRedirects)


def ask_platform(body):
    headers = {"Content-Type": "application/json", "X-Api-Key": API_KEY}
    asked = Request(f"{API_BASE_URL}/api/embed/url", json.dumps(body).encode(), headers, method="POST")
    try:
        response = platform.open(asked, timeout=TIMEOUT_SECONDS)
    except HTTPError as refused:
        response = refused
    with response:
        text = response.read()
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = None
    return response.status, response.headers, parsed if isinstance(parsed, dict) else {}


def refusal(status, code, error, request_id=None, headers=None):
    body = {"error": error, "code": code} | ({"requestId": request_id} if request_id else {})
    return body, status, headers or {}


def log(**what):
    logging.getLogger(__name__).error("platform-embed: %s", json.dumps(what))
