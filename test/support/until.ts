/** Between two looks; a machine that stood still for longer has not waited that long. */
const LOOK_MS = 1_000;

/** Waits for a condition with a deadline, instead of sleeping. Looks less often the longer it takes, for looking costs. */
export async function until<T>(
  what: string,
  probe: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  deadlineMs = 10_000,
): Promise<T> {
  let waited = 0;
  for (let last = performance.now(); ; ) {
    const found = await probe();
    if (found !== undefined && found !== false && found !== null) return found;
    const now = performance.now();
    waited += Math.min(now - last, LOOK_MS);
    last = now;
    if (waited > deadlineMs) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(150, 15 + waited / 20)));
  }
}
