"""Random tables, files, commands and calls of the core, judged by the laws that hold for all of them.

``python -m fuzz --seconds 60`` (or ``make fuzz SECONDS=60``) tries for a minute; ``python -m fuzz tables 1234`` repeats
one case and makes it smaller. A case is its seed: the same on every machine.
"""
