import json
import os
from datetime import timedelta
from http.client import HTTPException
from urllib.request import Request

from flask import Flask, abort, redirect, render_template, request, session, url_for

from embed_url import API_BASE_URL, API_KEY, TIMEOUT_SECONDS, asked_by_own_page, embed_url, platform, refusal
from users import USERS, current_user

app = Flask(__name__)
app.config.update(
    SECRET_KEY=os.environ["SESSION_SECRET"] or None,
    PERMANENT_SESSION_LIFETIME=timedelta(days=7),
    # Otherwise each response renews the cookie, and whoever has copied it could keep it valid for ever.
    SESSION_REFRESH_EACH_REQUEST=False,
    SESSION_COOKIE_HTTPONLY=True,
    SESSION_COOKIE_SAMESITE="Lax",
    SESSION_COOKIE_SECURE=os.environ.get("COOKIE_SECURE") != "false",
)
# `<platform-embed>` calls POST /embed-url for its first token and for every renewal.
app.register_blueprint(embed_url)


@app.before_request
def refuse_other_sites():
    """Their requests come without the cookie, but a response could replace it, and so sign the visitor in or out."""
    if request.method == "POST" and not asked_by_own_page():
        return refusal(403, "cross_site", "This address serves its own pages only.")
    return None


@app.get("/")
def files():
    user = current_user()
    if user is None:
        return render_template("sign_in.html", users=USERS.values())
    page = render_template("files.html", user=user, platform=os.environ["EMBED_PLATFORM_BASE_URL"])
    return page, {"Cache-Control": "no-store"}


@app.post("/sign-in")
def sign_in():
    """A stand-in for your own sign-in, which checks a password or asks your identity provider."""
    if request.form.get("user_id") not in USERS:
        abort(400)
    session.clear()
    session["user_id"] = request.form["user_id"]
    session.permanent = True
    return redirect(url_for("files"))


@app.post("/sign-out")
def sign_out():
    user = current_user()
    session.clear()
    if user:
        try:
            revoke_tokens(user["id"])
        except (OSError, HTTPException):
            # The session ends all the same, and the tokens expire by themselves.
            app.logger.exception("The embed tokens of %s were not revoked.", user["id"])
    return redirect(url_for("files"))


def revoke_tokens(visitor_id):
    """Ends the embed tokens of a user on all devices. A device whose session goes on gets a new one."""
    headers = {"Content-Type": "application/json", "X-Api-Key": API_KEY}
    body = json.dumps({"visitor": visitor_id}).encode()
    asked = Request(f"{API_BASE_URL}/api/embed/revoke", body, headers, method="POST")
    platform.open(asked, timeout=TIMEOUT_SECONDS).close()
