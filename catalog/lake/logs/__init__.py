"""Transaction logs: found, read, watched. No JVM."""
