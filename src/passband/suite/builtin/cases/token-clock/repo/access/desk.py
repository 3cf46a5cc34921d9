"""Where tokens are handed out."""

from access import clock
from access.token import Token

LIFETIME = 3600


class Refused(Exception):
    """The token is not accepted."""


class Desk:
    """Issues numbered tokens and checks them."""

    def __init__(self, lifetime: int = LIFETIME) -> None:
        self.lifetime = lifetime
        self._issued: dict[int, Token] = {}

    def issue(self, user: str, at: int = clock.now()) -> Token:
        """A new token for a user."""
        token = Token(user, len(self._issued) + 1, at + self.lifetime)
        self._issued[token.number] = token
        return token

    def check(self, number: int, at: int | None = None) -> str:
        """The user of a token that is still good."""
        token = self._issued.get(number)
        if token is None:
            raise Refused("unknown")
        if not token.valid(at):
            raise Refused("expired")
        return token.user
