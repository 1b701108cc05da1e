"""An integrator's Flask app. A header names the signed-in user."""

import os

from embed_url import embed_url
from flask import Flask, request, session
from webhooks import is_signed, webhooks

app = Flask(__name__)
app.secret_key = "only for tests"
app.register_blueprint(embed_url)
app.register_blueprint(webhooks)


@app.before_request
def sign_in():
    session["user_id"] = request.headers.get("X-Test-User")


@app.post("/check-webhook")
def check_webhook():
    """Whether the check would accept the message with X-Secret at the time of X-Now."""
    now = int(request.headers["X-Now"])
    return str(is_signed(request.headers["X-Secret"], request.headers, request.get_data(), now)).lower()


app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
