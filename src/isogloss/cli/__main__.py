"""``python -m isogloss.cli``"""

from isogloss.cli import main

main()
