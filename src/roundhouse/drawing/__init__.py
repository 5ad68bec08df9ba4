"""Pictures drawn from the rules' own geometry: what is shown cannot differ from what can be bet on."""
