"""``python -m isogloss``"""

from isogloss.cli import main

main()
