"""What each JAX release offers for sharding, recorded from its wheel, and what the records say."""
