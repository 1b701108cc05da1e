"""Stand-ins for the users of your database."""

from flask import session

USERS = {
    "u-1": {"id": "u-1", "name": "Ada", "is_admin": True, "folder": "/Contracts"},
    "u-2": {"id": "u-2", "name": "Ben", "is_admin": False, "folder": "/Photos"},
}


def current_user():
    """Returns who is signed in, or None."""
    return USERS.get(session.get("user_id"))


def scope_of(user):
    """What this user may see and do. A scope without `path` would be the whole bucket."""
    actions = ["download", "upload", "organize", "delete"] if user["is_admin"] else ["download"]
    return {"bucket": "demo-files", "path": user["folder"], "actions": actions}
