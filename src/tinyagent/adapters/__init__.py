"""The gym behind other people's interfaces: Gymnasium, TRL, verifiers and OpenEnv, each thin and none required."""
