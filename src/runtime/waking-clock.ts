/**
 * Milliseconds that go on evenly, also while the machine sleeps (a laptop, a virtual machine that is suspended): the
 * process' own clock stands still then, and only the time of day tells how long it was. Set back, the time of day counts for nothing.
 */

/** How far the time of day may leap without being taken for sleep: it is corrected a little all the time. */
const CORRECTED_MS = 1_000;

export function wakingClock(): () => number {
  let steady = performance.now();
  let wall = Date.now();
  let slept = 0;
  return () => {
    const now = { steady: performance.now(), wall: Date.now() };
    const leap = now.wall - wall - (now.steady - steady);
    if (leap > CORRECTED_MS) slept += leap;
    ({ steady, wall } = now);
    return steady + slept;
  };
}
