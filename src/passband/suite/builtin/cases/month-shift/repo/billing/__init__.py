"""When subscriptions are billed."""
