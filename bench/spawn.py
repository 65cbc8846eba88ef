#!/usr/bin/env python3
"""spawn.py COUNT: the row spawn as Python's subprocess does it."""
import subprocess
import sys

for i in range(int(sys.argv[1])):
    if subprocess.run(["/bin/echo", f"hi {i}"], capture_output=True, check=True).stdout != f"hi {i}\n".encode():
        sys.exit(1)
