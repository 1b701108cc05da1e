"""An integrator's Flask app. A header names the signed-in user."""

import os

from embed_url import embed_url
from flask import Flask, request, session

app = Flask(__name__)
app.secret_key = "only for tests"
app.register_blueprint(embed_url)


@app.before_request
def sign_in():
    session["user_id"] = request.headers.get("X-Test-User")


app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
