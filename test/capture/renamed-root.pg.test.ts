/** Partitioned tables that get another name: no partition changes by that, and Postgres announces the table by its former name. */
import { expect } from 'chai';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { until } from '../support/until.ts';

describe('capture: a partitioned table that is renamed', () => {
  let on: Captured;
  let sink: number;
  let written = 0;
  beforeEach(async () => {
    written = 0;
    on = await captured(
      `create schema other; create table whole (id int primary key) partition by range (id);
       create table part partition of whole for values from (0) to (1000); create table plain (id int primary key)`,
      { timing: { checkMs: 100 } },
    );
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  });
  afterEach(async () => await on?.close());

  const nameOfNext = async (table: string): Promise<string> => {
    written += 1;
    await on.source.query(`insert into ${table} values (${written})`);
    const { metadata } = JSON.parse((await on.received(sink, written)).at(-1)!.text);
    return `${metadata.table_schema}.${metadata.table_name}`;
  };
  const generation = async (): Promise<number> => {
    const { rows } = await on.messages.db.query<{ n: number }>(
      'select generation::int4 as n from millrace_private.positions',
    );
    return rows[0]!.n;
  };

  for (const [alter, name] of [
    ['alter table whole rename to entire', 'public.entire'],
    ['alter table whole set schema other', 'other.whole'],
  ] as const)
    it(`is called what it is called now, within a check: ${alter}`, async () => {
      expect(await nameOfNext('whole')).to.equal('public.whole');
      await on.source.query(alter);
      await until('its changes come under its name', async () => (await nameOfNext(name)) === name);
      const { state } = await on.state();
      expect(state).to.equal('streaming');
      const before = await generation();
      await on.source.query('alter table plain rename to simple');
      expect(await nameOfNext('simple')).to.equal('public.simple');
      expect(await nameOfNext(name)).to.equal(name);
      expect(await generation(), 'nothing is left to be announced anew').to.equal(before);
    });
});
