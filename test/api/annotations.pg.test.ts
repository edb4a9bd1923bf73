/** Annotations are part of every message, so they have a bound: the same for all who declare them, and none for what is stored. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { MOST_ANNOTATION_BYTES } from '../../src/catalog/declare/annotation-bound.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { runCli } from '../support/processes/cli.ts';
import { FILE, type Managed, managed } from './support.ts';

describe('api: annotations', function () {
  this.timeout(60_000);
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());
  const call = async (method: string, at: string, body?: unknown) => await all.web.call(method, `/api/${at}`, { body });

  /** Of so many bytes, in characters of three. */
  const ofBytes = (bytes: number) => ({ note: '€'.repeat(1000), rest: 'x'.repeat(bytes - 3000 - 'noterest'.length) });
  const fitting = ofBytes(MOST_ANNOTATION_BYTES);
  const tooLarge = ofBytes(MOST_ANNOTATION_BYTES + 1);
  const SENTENCE = 'hold 262,145 bytes, and may hold 262,144: they are part of every message';
  const sink = (annotations: object) => ({
    name: 'noted',
    database: 'shop',
    destination: { type: 'pull' },
    annotations,
  });
  const file = (annotations: object): string => FILE.replace('{ team: billing }', JSON.stringify(annotations));

  it('hold 256 KiB at most, of a sink and of a database', async () => {
    for (const [method, at, body] of [
      ['POST', 'sinks', sink(tooLarge)],
      ['PATCH', 'sinks/orders', { annotations: tooLarge }],
      ['PUT', 'sinks/orders', { annotations: tooLarge }],
      ['PATCH', 'postgres_databases/shop', { annotations: tooLarge }],
    ] as const) {
      const { status, json } = await call(method, at, body);
      expect(status, `${method} ${at}`).to.equal(422);
      expect(Object.keys(json.validation_errors)).to.deep.equal(['annotations']);
      expect(json.validation_errors.annotations[0]).to.include(SENTENCE).and.include('Shorten them');
    }
    expect((await call('POST', 'sinks', sink(fitting))).status).to.equal(200);
    expect((await call('PATCH', 'postgres_databases/shop', { annotations: fitting })).status).to.equal(200);
    expect((await call('GET', 'sinks/noted')).json.annotations).to.deep.equal(fitting);
  });

  it('hold no more in a file, over HTTP and by command', async () => {
    for (const verb of ['plan', 'apply']) {
      const { status, json } = await call('POST', `config/${verb}`, { yaml: file(tooLarge) });
      expect(status).to.equal(422);
      expect(json.validation_errors['orders.annotations'][0]).to.include(SENTENCE);
    }
    const folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-annotations-'));
    const written = path.join(folder, 'millrace.yaml');
    await writeFile(written, file(tooLarge));
    const validated = await runCli(['config', 'validate', written]);
    await rm(folder, { recursive: true });
    expect(validated).to.include({ code: 1, stdout: '' });
    expect(validated.stderr).to.include(`orders.annotations: ${SENTENCE}. Shorten them`);
  });

  it('that are stored already stay, until somebody changes them', async () => {
    await all.m.db.query(
      `update millrace_private.sinks set settings = settings || jsonb_build_object('annotations', $1::jsonb)
                           where name = 'orders'`,
      [JSON.stringify(tooLarge)],
    );
    const edited = await call('PATCH', 'sinks/orders', { max_retry_count: 3 });
    expect(edited.status, edited.text).to.equal(200);
    expect((await call('PATCH', 'sinks/orders', { name: 'renamed' })).status).to.equal(200);
    expect((await call('PATCH', 'sinks/renamed', { name: 'orders', annotations: tooLarge })).status).to.equal(200);
    // As the service starts.
    await applyConfig({ db: all.m.db, keys: KEYS }, parse(file(tooLarge)).config, { from: 'start' });
    const larger = parse(file({ ...tooLarge, more: 'x' })).config;
    const refused = applyConfig({ db: all.m.db, keys: KEYS }, larger, { from: 'start' });
    expect(String(await refused.catch((error: unknown) => error))).to.include('orders.annotations hold 262,150 bytes');
    await applyConfig({ db: all.m.db, keys: KEYS }, parse(file({ few: 'x' })).config, { from: 'start' });
  });
});
