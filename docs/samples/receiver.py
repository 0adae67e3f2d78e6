"""ARI_SIGNING_SECRET=whsec_… python3 receiver.py (Python 3.9 or later; nothing else is needed)."""
import base64
import hashlib
import hmac
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ["ARI_SIGNING_SECRET"].removeprefix("whsec_"))
TOLERANCE_SECONDS = 300


def is_from_platform(headers, body: bytes) -> bool:
    """`body` is the raw bytes: JSON that was parsed and serialized again has another signature."""
    webhook_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    # Refuse replays of old calls.
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    # While the secret is being changed there are several signatures, separated by blanks: one must match.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(signature.encode(), expected.encode()) for signature in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_from_platform(self.headers, body):
            self.answer(401)
            return
        # Store the body on disk here, before you answer. Process it afterwards: it may come twice, with the same
        # webhook-id.
        print(self.headers["webhook-id"], body.decode(), flush=True)
        self.answer(204)

    def answer(self, status: int):
        self.send_response(status)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver).serve_forever()
