"""``make lint``'s last step: known vulnerabilities among the installed packages, by pip-audit.

Fails on those that a newer release mends. Without access to the advisories it says so and passes: lint works offline.
"""

import json
import subprocess
import sys
from typing import Any

PATIENCE = 180  # seconds for all packages


def main() -> int:
    command = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--timeout", "10", "--format", "json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, json.JSONDecodeError, KeyError):
        print("pip-audit: the advisories could not be reached; nothing was audited")
        return 0
    audited = [package for package in packages if "vulns" in package]
    if not audited:
        print(f"pip-audit: the advisories could not be reached for any of {len(packages)} packages")
        return 0
    found = [(package, flaw) for package in audited for flaw in package["vulns"]]
    for package, flaw in found:
        mended = ", ".join(flaw["fix_versions"]) or "no release yet"
        print(f"{package['name']} {package['version']}: {flaw['id']} (mended in {mended})")
    print(f"pip-audit: {len(audited)} of {len(packages)} packages audited, {len(found)} known vulnerabilities")
    return int(any(flaw["fix_versions"] for _, flaw in found))


if __name__ == "__main__":
    sys.exit(main())
