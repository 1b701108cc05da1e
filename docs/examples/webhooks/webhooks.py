"""A receiver of webhooks, for Flask. The check of the signature uses only Python's standard library.

    from webhooks import webhooks

    app.register_blueprint(webhooks)  # with Flask-WTF's CSRFProtect also: csrf.exempt(webhooks)

Set WEBHOOK_SECRET to the whsec_… that was shown when the webhook was created, and write on_event().
"""

import base64
import hashlib
import hmac
import json
import os
import time

from flask import Blueprint, request

SECRET = os.environ["WEBHOOK_SECRET"].strip()
TOLERANCE_SECONDS = 5 * 60
MAX_BODY_BYTES = 1024 * 1024

webhooks = Blueprint("webhooks", __name__)


def on_event(event):
    """Called with each event. The same one may arrive again: ignore an event["id"] that you know. After an exception it is sent again."""


def key_of(secret):
    """The key in a secret. With an empty one, anybody could sign."""
    key = base64.b64decode(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else b""
    if not key:
        raise ValueError("WEBHOOK_SECRET is not the whsec_… of a webhook.")
    return key


def is_signed(secret, headers, body, now=None):
    """Whether the platform has signed these bytes within the last five minutes."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    try:
        age = (time.time() if now is None else now) - int(timestamp)
    except ValueError:
        return False
    digest = hmac.new(key_of(secret), f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # There are two signatures while the secret is being changed.
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return abs(age) <= TOLERANCE_SECONDS and any(hmac.compare_digest(expected, one) for one in signatures)


key_of(SECRET)  # A server with an invalid secret does not start.


@webhooks.post("/webhooks")
def receive():
    body = request.stream.read(MAX_BODY_BYTES)
    if not is_signed(SECRET, request.headers, body):
        return {"error": "The signature is missing, wrong or too old.", "code": "invalid_signature"}, 400
    on_event(json.loads(body))
    return "", 204
