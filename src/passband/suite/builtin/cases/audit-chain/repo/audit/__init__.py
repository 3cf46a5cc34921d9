"""An audit log that can only grow."""

from audit.log import AuditLog

__all__ = ["AuditLog"]
