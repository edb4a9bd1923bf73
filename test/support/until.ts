/** Waits for a condition with a deadline, instead of sleeping. Looks less often the longer it takes, for looking costs. */
export async function until<T>(
  what: string,
  probe: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  deadlineMs = 10_000,
): Promise<T> {
  const begun = Date.now();
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false && found !== null) return found;
    const waited = Date.now() - begun;
    if (waited > deadlineMs) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(150, 15 + waited / 20)));
  }
}
