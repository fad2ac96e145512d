"""What a suite counts: every check passes or fails, and failures say what."""


class Score:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, what, detail=''):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print('FAILED:', str(what)[:1500])
            if detail:
                print(detail)
        return ok

    def close(self):
        """Prints the closing line; gives the exit status."""
        print('%d passed, %d failed' % (self.passed, self.failed))
        return 1 if self.failed or not self.passed else 0
