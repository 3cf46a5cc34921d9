"""Chat models as subjects, over a thin protocol of our own: every attempt is accounted for."""

from passband.subject.chat.settings import ChatSettings
from passband.subject.chat.subject import ChatSubject, load_chat

__all__ = ["ChatSettings", "ChatSubject", "load_chat"]
