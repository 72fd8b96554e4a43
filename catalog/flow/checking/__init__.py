"""From rules to outcomes: judging, declared checks, trials on the past."""
