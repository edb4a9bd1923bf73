/** Between two looks; a machine that stood still for longer has not waited that long. */
const LOOK_MS = 1_000;

/** What is waited for at least, for whatever may take seconds: on a loaded machine it takes many times as long. */
const PATIENCE_MS = 60_000;

/**
 * Waits for a condition with a deadline, instead of sleeping. Looks less often the longer it takes, for looking costs. A
 * deadline of seconds is no measure, only the end of patience: what is measured is compared with `promised`.
 */
export async function until<T>(
  what: string,
  probe: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  deadlineMs = PATIENCE_MS,
): Promise<T> {
  const patienceMs = deadlineMs < 2_000 ? deadlineMs : Math.max(deadlineMs, PATIENCE_MS);
  let waited = 0;
  for (let last = performance.now(); ; ) {
    const found = await probe();
    if (found !== undefined && found !== false && found !== null) return found;
    const now = performance.now();
    waited += Math.min(now - last, LOOK_MS);
    last = now;
    if (waited > patienceMs) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(150, 15 + waited / 20)));
  }
}

/**
 * How long what is promised within `ms` may take in a test: four times as long on a machine that does much else at once.
 * That may be longer than what would bring it about otherwise (a lease's end); MILLRACE_TEST_TIMES=1 (.ci/long, on a quiet
 * machine) takes promises at their word.
 */
export const promised = (ms: number): number => (process.env.MILLRACE_TEST_TIMES === '1' ? ms : 4 * ms);
