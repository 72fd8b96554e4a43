"""Retry, queue, schedule, lock: the flow's steps as Celery tasks. Remove Celery and no result changes."""
