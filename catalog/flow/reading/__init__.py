"""From the lake to states: sources, logs, batches, scans."""
