"""What can be declared: what a kind is made of, and the kinds by what they are read off."""
