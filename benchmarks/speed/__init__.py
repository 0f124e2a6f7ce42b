"""How fast toksmith is, beside its peers: texts, models, fresh processes, rounds, records."""
