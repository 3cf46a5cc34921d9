"""Model traffic, recorded and replayed: the same run again, without the network."""

from passband.subject.traffic.proxy import RecordingProxy
from passband.subject.traffic.responses import Episode, ResponseStore

__all__ = ["Episode", "RecordingProxy", "ResponseStore"]
