/** How long the console's first page takes to be there, in a Chromium of this machine, with the console built by `npm run build`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { CHROMIUM } from '../test/support/browser/chromium.ts';

const ROUNDS = 9;
const WAIT_MS = 60_000;
const NOT_BUILT = 503;

/** Tells `drawn` the milliseconds from the begin of the navigation to the first frame with so many sinks. */
const watchFor = (sinks: number): string => `
  const look = () => {
    const shown = new Set([...document.querySelectorAll('a[href^="/sinks/"]')].map((link) => link.pathname.split('/')[2]));
    if (shown.size < ${sinks}) requestAnimationFrame(look);
    else requestAnimationFrame(() => drawn(performance.now()));
  };
  requestAnimationFrame(look);`;

/**
 * Milliseconds until `/` shows all of its sinks, of nine windows without a cache, each by somebody who is logged in. Undefined: there
 * is no Chromium, or the console is not built.
 */
export async function drawFirstPage(
  base: string,
  input: { sinks: number; email: string; password: string },
): Promise<number[] | undefined> {
  const { status } = await fetch(base, { headers: { accept: 'text/html' } });
  if (CHROMIUM === undefined || status === NOT_BUILT) return undefined;
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const drawn: number[] = [];
  try {
    const { email, password } = input;
    for (let round = 0; round < ROUNDS; round += 1) {
      const context = await browser.newContext({ baseURL: base, viewport: { width: 1280, height: 800 } });
      const answer = await context.request.post('/api/sessions', { data: { email, password } });
      if (!answer.ok()) throw new Error(`the login answered ${answer.status()}`);
      const page = await context.newPage();
      const { promise, resolve } = Promise.withResolvers<number>();
      await page.exposeFunction('drawn', resolve);
      await page.addInitScript(watchFor(input.sinks));
      await page.goto('/');
      const late = sleep(WAIT_MS, undefined, { ref: false });
      const ms = await Promise.race([promise, late]);
      if (ms === undefined) throw new Error(`the first page does not show ${input.sinks} sinks`);
      drawn.push(ms);
      await context.close();
    }
  } finally {
    await browser.close();
  }
  return drawn;
}
