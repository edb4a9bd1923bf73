/**
 * A real browser on the built console (`npm run build`). Where there is no Chromium, its suites say so in a line and are skipped.
 * Whatever a page throws, logs as an error or is refused by its own policy fails the test that ends with `close`.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { createUser } from '../../../src/admin/users.ts';
import type { Database } from '../../../src/db/pool.ts';
import { type ConsoleFiles, readConsole } from '../../../src/http/console-files.ts';
import { CHROMIUM } from './chromium.ts';

const BUILT = fileURLToPath(new URL('../../../dist/console/', import.meta.url));
const SCREENSHOTS = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));

export const PASSWORD = 'correct horse';

/** A name that the browser takes for another machine's, and that leads here. */
export const ELSEWHERE = 'millrace.example';

/** By day on a wide screen, by night on a narrow one. */
export const LOOKS = [
  { dark: false, width: 1280 },
  { dark: true, width: 390 },
] as const;

/** For a `before`: skips the suite, in words, where there is no Chromium. */
export async function openBrowser(suite: Mocha.Context): Promise<Browser> {
  if (CHROMIUM === undefined) {
    process.stdout.write('    no Chromium here (apt-get install chromium, or MILLRACE_CHROMIUM): skipped\n');
    suite.skip();
  }
  const args = ['--no-sandbox', '--disable-dev-shm-usage', `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`];
  return await chromium.launch({ executablePath: CHROMIUM, args });
}

/** What `npm run build` made. */
export async function builtConsole(): Promise<ConsoleFiles> {
  const files = await readConsole(BUILT);
  if (files === undefined) throw new Error('The console is not built: npm run build');
  return files;
}

export interface Seen {
  page: Page;
  context: BrowserContext;
  /** Expects that nothing was wrong on any page, and closes. */
  close(): Promise<void>;
}

export interface SeeOptions {
  /** Of the person; `[admin]`. Null: nobody is logged in. */
  scopes?: string[] | null;
  width?: 1280 | 390;
  dark?: boolean;
  /** Of what is logged or refused on purpose. */
  expected?: RegExp;
}

/** Opens the console in a window of its own, as a person who is logged in. `db`: the message database of the service at `url`. */
export async function see(
  browser: Browser,
  { db, url }: { db: Database; url: string },
  { scopes = ['admin'], width = 1280, dark = false, expected }: SeeOptions = {},
): Promise<Seen> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: width === 390 ? 844 : 800 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
  });
  if (scopes !== null) await context.addCookies([await cookieOf(db, url, scopes)]);
  const faults: string[] = [];
  context.on('weberror', (error) => faults.push(`thrown: ${error.error().message}`));
  context.on('console', (message) => {
    // What the API refused is shown by the page itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  const page = await context.newPage();
  // As `until`: a busy machine takes many times as long.
  page.setDefaultTimeout(60_000);
  return {
    page,
    context,
    async close() {
      await context.close();
      expect(faults.filter((fault) => !expected?.test(fault))).to.deep.equal([]);
    },
  };
}

let people = 0;

async function cookieOf(db: Database, url: string, scopes: string[]) {
  people += 1;
  const email = `ann-${process.pid}-${people}@example.org`;
  await createUser(db, { email, name: 'Ann', scopes, password: PASSWORD }, { kind: 'cli', name: 'test' });
  const answer = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const [name = '', value = ''] = (answer.headers.get('set-cookie') ?? '').split(';')[0]!.split('=');
  return { name, value, url, httpOnly: true, sameSite: 'Lax' as const };
}

/** Its clock is wrong by `globalThis.isAheadMs`, from now on and on each page that is opened. */
export async function setClockWrong(page: Page, aheadMs: number): Promise<void> {
  const wrong = `
    globalThis.isAheadMs = ${aheadMs};
    globalThis.Date = class extends (globalThis.RealDate ??= Date) {
      static now = () => globalThis.RealDate.now() + globalThis.isAheadMs;
      constructor(...given) {
        if (given.length === 0) super(globalThis.Date.now());
        else super(...given);
      }
    };`;
  await page.addInitScript(wrong);
}

/** Replaces what is in the editor. */
export async function writeCode(page: Page, type: 'transform' | 'filter' | 'routing', code: string): Promise<void> {
  await page.getByRole('textbox', { name: `Code of the ${type}` }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(code);
}

/** Where there is no room for code and samples beside each other, they are shown by turns: these of each editor. */
export async function showPart(page: Page, part: 'Code' | 'Samples and results'): Promise<void> {
  await page.locator('.cm-content').first().waitFor({ state: 'attached' });
  for (const button of await page.getByRole('button', { name: part, exact: part === 'Code' }).all())
    if (await button.isVisible()) await button.click();
}

let axe: string | undefined;

/** No violation of WCAG 2.2 AA that axe finds, and nothing to scroll sideways. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  axe ??= await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // What the header half covers as the page scrolls is too small to be hit.
  await page.evaluate('scrollTo(0, 0)');
  // Through the debugger, which no policy of the page keeps out.
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const found = await (
      globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      }
    ).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  });
  expect(violations, what).to.deep.equal([]);
  await expectNothingSideways(page, what);
}

export async function expectNothingSideways(page: Page, what: string): Promise<void> {
  const sideways = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(sideways, `${what}: pixels to scroll sideways`).to.be.at.most(0);
}

/** For docs/screenshots, where MILLRACE_SCREENSHOTS=1 asks for it; elsewhere a folder given by it. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const wanted = process.env.MILLRACE_SCREENSHOTS;
  if (wanted === undefined) return;
  await page.screenshot({ path: `${wanted === '1' ? SCREENSHOTS : `${wanted}/`}${name}.png` });
}
