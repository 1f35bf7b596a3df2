"""The index on this machine: arrays and vectors in files, mapped into memory."""
