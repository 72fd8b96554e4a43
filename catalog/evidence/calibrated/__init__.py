"""How risky a demand is, learned by replays."""
