/** A number that a double does not hold is refused by name, and kept with all of its digits as a text: by request, file and command. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/processes/cli.ts';
import { FILE, type Managed, managed } from './support.ts';

const LONG = ['0.1234567890123456789', '9007199254740993', '1e400', '-1.00000000000000000001e2'];
const JSON_FIELD = { column_name: 'payload', field_path: 'price' };

describe('api: numbers with many digits', function () {
  this.timeout(60_000);
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());
  const call = async (method: string, at: string, body: unknown) => await all.web.call(method, `/api/${at}`, { body });
  const filters = (comparison_value: unknown, more: object = { column_name: 'price' }) => ({
    filters: [{ operator: '>', comparison_value, ...more }],
  });

  it('are refused as numbers, and kept as texts', async () => {
    for (const digits of LONG) {
      const number = JSON.rawJSON(digits);
      for (const [more, remedy] of [
        [undefined, 'Put it in quotes.'],
        [JSON_FIELD, 'Put it in quotes, with `field_type: number`.'],
      ] as const) {
        const { status, json } = await call('PATCH', 'sinks/orders', filters(number, more));
        expect(status, digits).to.equal(422);
        expect(json.validation_errors).to.deep.equal({
          'filters[0].comparison_value': [`has more digits than a number keeps here. ${remedy}`],
        });
      }
      const { status, text } = await call(
        'PATCH',
        'sinks/orders',
        filters(digits, { ...JSON_FIELD, field_type: 'number' }),
      );
      expect(status, text).to.equal(200);
      const { json } = await call('GET', 'sinks/orders', undefined);
      expect(json.filters[0]).to.deep.include({ comparison_value: digits, field_type: 'number' });
      const { json: exported } = await call('GET', 'config/export', undefined);
      expect(exported.yaml).to.include(`comparison_value: "${digits}"`);
      const planned = await call('POST', 'config/plan', { yaml: exported.yaml });
      expect(
        planned.json.changes.filter((change: { diff: unknown[] }) =>
          change.diff.some((one) => JSON.stringify(one).includes('filters')),
        ),
      ).to.deep.equal([]);
    }
    const backfill = { table: 'public.orders', sort_column: 'id', start_position: JSON.rawJSON(LONG[1]!) };
    const { json } = await call('POST', 'sinks/orders/backfills', backfill);
    expect(json.validation_errors.start_position[0]).to.include('has more digits than a number keeps');
    const { json: wrong } = await call('PATCH', 'sinks/orders', {
      max_retry_count: JSON.rawJSON('3.00000000000000000001'),
    });
    expect(wrong.validation_errors.max_retry_count[0]).to.include('must be a whole number');
  });

  it('of a file are refused over HTTP and by command', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-numbers-'));
    for (const digits of LONG) {
      const entry = `filters: [{ column_name: price, operator: '>', comparison_value: ${digits} }]\n`;
      const yaml = FILE.replace('annotations: { team: billing }', entry.trim());
      const { json } = await call('POST', 'config/plan', { yaml });
      expect(Object.keys(json.validation_errors)).to.deep.equal(['sinks[0].filters[0].comparison_value']);
      await writeFile(path.join(folder, 'entry.yaml'), entry);
      const edited = await runCli(['sink', 'edit', 'orders', '-f', path.join(folder, 'entry.yaml')], {
        ...{ MILLRACE_URL: all.web.url, MILLRACE_TOKEN: 'admin-token' },
      });
      expect(edited).to.include({ code: 1, stdout: '' });
      expect(edited.stderr).to.include('has more digits than a number keeps here');
    }
    await rm(folder, { recursive: true });
  });
});
