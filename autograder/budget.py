"""The one deadline of a submission: what is left of the time for all that is done with it."""

import time


class Budget:
    """The seconds that a submission may take from now on, by the clock on the wall.

    Everything counts, whoever spends it: reading, the start of a guest, its answers, a diagnosis.
    kept are the seconds of later exercises, out of reach until it is their turn.
    """

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self.kept = 0.0

    @property
    def left(self) -> float:
        """What may be spent now; below 0 where it is spent."""
        return self.altogether - self.kept

    @property
    def altogether(self) -> float:
        """What is left up to the end."""
        return self._until - time.monotonic()
