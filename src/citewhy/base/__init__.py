"""The ground for everything else: records, errors, settings, progress, folders that are whole or absent."""
