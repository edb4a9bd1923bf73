/** The console on a message database and a web role of its own, and a browser before it: what most browser suites begin with. */
import type { WebDependencies } from '../../../src/http/web.ts';
import { type MessageDatabase, messageDatabase } from '../postgres/message-database.ts';
import { type TestWeb, testWeb } from '../processes/web.ts';
import { builtConsole, openBrowser, type Seen, type SeeOptions, see } from './browser.ts';

export interface TestConsole {
  m: MessageDatabase;
  web: TestWeb;
  see(options?: SeeOptions): Promise<Seen>;
  close(): Promise<void>;
}

/** For a `before`, as `openBrowser`. `deps`: what the web role has other than every test. */
export async function openConsole(
  suite: Mocha.Context,
  deps: Partial<Pick<WebDependencies, 'examine' | 'privateAllowed' | 'settings'>> = {},
): Promise<TestConsole> {
  const browser = await openBrowser(suite);
  let m: MessageDatabase | undefined;
  let web: TestWeb | undefined;
  const close = async (): Promise<void> => {
    await browser.close();
    await web?.close();
    await m?.drop();
  };
  try {
    m = await messageDatabase();
    web = await testWeb({ db: m.db, console: await builtConsole(), ...deps }, { keepHealthMs: 0 });
    const service = { db: m.db, url: web.url };
    return { m, web, close, see: (options) => see(browser, service, options) };
  } catch (error) {
    await close();
    throw error;
  }
}
