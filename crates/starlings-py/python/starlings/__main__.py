"""The command `starlings`."""

import signal
import sys

from . import _starlings


def main() -> int:
    """Run the program on the arguments of this process; return its exit status."""
    # The program has handlers of its own, which Python's would come before.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _starlings.main(["starlings", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
