"""The whole product on real histories, as one lake that lives day after day."""
