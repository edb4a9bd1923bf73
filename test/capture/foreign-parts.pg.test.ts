/** Partitioned tables of which a partition is a foreign table: they can have no primary key, and what is printed can be run. */
import { expect } from 'chai';
import type { DatabaseSettings } from '../../src/model/declared.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { BY_TRIGGERS, ofReplication } from '../support/postgres/capture-way.ts';
import { until } from '../support/until.ts';

const SCHEMA = `
  create foreign data wrapper nothing; create server none foreign data wrapper nothing;
  create table mixed (id int, n int) partition by range (id);
  create table "mixed here" partition of mixed for values from (0) to (100);
  create foreign table mixed_there partition of mixed for values from (100) to (200) server none`;

describe('capture: a table with a foreign partition', () => {
  let on: Captured;
  let sink: number;
  const start = async (schema: string, settings: Partial<DatabaseSettings> = {}): Promise<void> => {
    on = await captured(schema, { timing: { checkMs: 100 }, as: 'superuser', settings });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  };
  afterEach(async () => await on?.close());
  const said = (code: string, about: RegExp) =>
    until(`${code} ${about}`, async () =>
      (await on.notices(sink)).find((one) => one.code === code && about.test(one.message)),
    );
  const captures = async (): Promise<void> => {
    await on.source.query('insert into mixed values (1, 1); update mixed set n = 2 where id = 1');
    const { length } = await on.received(sink, 2);
    expect(length).to.equal(2);
  };
  const ELSEWHERE = /^public.mixed: changes in public.mixed_there are not captured: a foreign partition/;
  const { it: itByReplication } = ofReplication('triggers ask for no key, and note what is written through the table');

  itByReplication('is not published as it is: what brings it in, without a key, is printed', async () => {
    await start(SCHEMA);
    const { message, remedy } = await said('not_published', /./);
    expect(message).to.equal(
      'public.mixed: it can have no primary key, for public.mixed_there is a foreign table: published, updates of each new partition would fail, which has no replica identity',
    );
    await on.source.query(remedy!);
    expect((await said('not_published', ELSEWHERE)).remedy).to.equal(
      'Capture them in that database, or detach the partition.',
    );
    await captures();
  });

  itByReplication('and is published by somebody else: what repairs its updates is printed', async () => {
    const publication = { name: 'given', create_if_not_exists: false, init_sql: null };
    await start(`${SCHEMA}; create publication given for all tables with (publish_via_partition_root = true)`, {
      publication,
    });
    const { remedy } = await said('breaks_updates', /"mixed here" has no replica identity/);
    await on.source.query(remedy!);
    await said('not_published', ELSEWHERE);
    await captures();
  });

  it('and goes on being captured when the foreign one is detached', async () => {
    await start(SCHEMA);
    if (!BY_TRIGGERS) await on.source.query((await said('not_published', /./)).remedy!);
    await captures();
    await on.source.query('alter table mixed detach partition mixed_there');
    await until('nothing is said of it any more', async () =>
      (await on.notices(sink)).every(({ message }) => !message.includes('mixed_there')),
    );
  });
});
