/** What the configuration file declares: read here, released to be changed here, and given back. */
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, LOOKS, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';

/** Where each is changed, and what cannot be pressed while the file has it. */
const THINGS = [
  { what: 'a database', at: '/databases/shop/settings', button: 'Save… (Declared in the configuration file)' },
  { what: 'a function', at: '/functions/document', button: 'Save (Declared in the configuration file)' },
] as const;

describe('browser: things of the file', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(FILE).config, { from: 'start' });
  });
  after(async () => await on?.close());

  for (const look of LOOKS) {
    for (const { what, at, button } of THINGS) {
      it(`${what} is released, and given back to the file, at ${look.width} px`, async () => {
        const seen = await on.see(look);
        const { page } = seen;
        await page.goto(at);
        await page.getByText('Declared in the configuration file.').waitFor();
        await page.getByRole('button', { name: button }).waitFor();
        await expectAccessible(page, `${what} of the file`);
        await page.getByRole('button', { name: 'Release to the API…' }).click();
        await page.getByRole('alertdialog').getByRole('button', { name: 'Release to the API' }).click();
        await page.getByText('Released from the configuration file.').waitFor();
        await page.getByRole('button', { name: button }).waitFor({ state: 'detached' });
        await expectAccessible(page, `${what} that was released`);
        await screenshot(page, `released-${what.slice(2)}-${look.width}`);
        await page.getByRole('button', { name: 'Return to the file…' }).click();
        await page.getByText('changes made here are lost').waitFor();
        await page.getByRole('alertdialog').getByRole('button', { name: 'Return to the file' }).click();
        await page.getByRole('button', { name: button }).waitFor();
        await seen.close();
      });
    }
  }
});
