/** A publication that lists partitions and not their table: what is left out is told, and what is printed publishes all of it. */
import { expect } from 'chai';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { eachMajor } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const SCHEMA = `create schema "Teile 'ü'"; create table "Ganz ""es" (id int primary key) partition by range (id);
  create table "Teile 'ü'".one partition of "Ganz ""es" for values from (0) to (10);
  create table two partition of "Ganz ""es" for values from (10) to (30) partition by range (id);
  create table "two A" partition of two for values from (10) to (20);
  create table "two B" partition of two for values from (20) to (30);`;
const FULL = `alter table "Teile 'ü'".one replica identity full`;

const { describe } = ofReplication('triggers are made on the whole of it');

describe('a partitioned table of which a publication lists partitions alone', function () {
  this.timeout(60_000);
  eachMajor((cluster, major) => {
    let on: Captured;
    afterEach(async () => await on?.close());

    const one = `"Teile 'ü'".one`;
    for (const [list, leftOut] of [
      [`table ${one}`, 'public."two A", public."two B"'],
      [`table ${one}, "two B"`, 'public."two A"'],
      [`table ${one}, two`, ''],
      ...(major >= 15 ? [[`tables in schema "Teile 'ü'"`, 'public."two A", public."two B"'] as const] : []),
    ] as const)
      for (const viaRoot of [true, false])
        it(`is told of, and captured as one when what is printed was run: ${list}, via root: ${viaRoot}`, async () => {
          on = await captured(
            `${SCHEMA} ${FULL}; create publication millrace_test for ${list} with (publish_via_partition_root = ${viaRoot})`,
            {
              cluster: cluster(),
              timing: { checkMs: 150, recheckMs: 100 },
              settings: { publication: { name: 'millrace_test', create_if_not_exists: false, init_sql: null } },
            },
          );
          const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
          on.start();
          await on.streaming();
          const notice = (code: string) => async () => (await on.notices(sink)).find((found) => found.code === code);
          if (leftOut !== '') {
            const { table, message, remedy } = await until('what is left out', notice('not_published'));
            expect([table, message]).to.deep.equal([
              'public.Ganz "es',
              `public.Ganz "es: changes in ${leftOut} are not captured: the publication lists other partitions alone`,
            ]);
            await on.source.query(remedy!);
            await until('it is told no more', async () => !(await notice('not_published')()));
          }
          if (leftOut === '' || !viaRoot) {
            await on.source.query((await until('their names', notice('partitions_apart'))).remedy!);
            await until('it is told no more', async () => !(await notice('partitions_apart')()));
          }
          await on.source.query('insert into "Ganz ""es" values (1), (11), (21); update "Ganz ""es" set id = id + 1');
          const told = (await on.received(sink, 6)).map(({ text, record }) => [
            JSON.parse(text).metadata.table_name,
            JSON.parse(record).id,
          ]);
          expect(told).to.deep.equal([1, 11, 21, 2, 12, 22].map((id) => ['Ganz "es', id]));
        });
  });
});
