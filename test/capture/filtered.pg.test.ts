/** Column filters from the source to the message table: rows that enter, leave, or cannot be judged. */
import { expect } from 'chai';
import type { ColumnFilter, SinkSettings } from '../../src/model/declared.ts';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { BY_TRIGGERS, byWay, ofReplication } from '../support/postgres/capture-way.ts';
import { until } from '../support/until.ts';

const keysAlone = ofReplication('what triggers note of a row is whole');

const SCHEMA = `
  create table plain (id int primary key, status text, note text, payload jsonb);
  alter table plain alter column status set storage external;
  create table whole (id int primary key, status text, note text, payload jsonb);
  alter table whole replica identity full;
`;
const open: ColumnFilter = {
  column_name: 'status',
  field_path: null,
  field_type: null,
  operator: '=',
  comparison_value: 'open',
};
const gold: ColumnFilter = {
  column_name: 'payload',
  field_path: 'customer.tiers.0',
  field_type: 'string',
  operator: '=',
  comparison_value: 'gold',
};
const CHANGE_TABLE = {
  type: 'change_table',
  database: 'shop',
  table_schema: 'public',
  table_name: 'events',
  create_if_not_exists: true,
  retention: null,
} as const;

describe('column filters', () => {
  let on: Captured;
  beforeEach(async () => {
    on = await captured(SCHEMA);
    on.start();
    await on.streaming();
  });
  afterEach(async () => await on.close());

  const add = (name: string, changes: Partial<SinkSettings>) =>
    on.addSink(sinkSettings({ name, destination: PULL, filters: [open], ...changes }));
  /** Action and id of what a sink got, when there are `count`; a last row shows that nothing more comes. */
  async function got(sinkNo: number, count: number): Promise<string[]> {
    const rows = await on.received(sinkNo, count);
    return rows.map((row) => `${row.action} ${JSON.parse(row.record).id}`);
  }
  const notices = async (sinkNo: number) =>
    (
      await on.messages.db.query<{ code: string; message: string; remedy: string }>(
        'select code, message, remedy from millrace_private.notices where sink_no = $1 order by code',
        [sinkNo],
      )
    ).rows;

  it('a row that leaves the filters leaves the index, or stays when that is wanted; nobody else hears of it', async () => {
    const source = {
      include_schemas: null,
      exclude_schemas: null,
      include_tables: ['public.whole'],
      exclude_tables: null,
    };
    const goes = await add('goes', { source, destination: SEARCH, filter_leave: 'delete' });
    const stays = await add('stays', { source, destination: SEARCH, filter_leave: 'keep' });
    const pull = await add('pull', { source, filter_leave: 'keep' });
    const retained = await add('retained', { source, destination: CHANGE_TABLE, filter_leave: 'keep' });
    for (const statement of [
      `insert into whole values (1, 'open'), (2, 'draft')`,
      `update whole set status = 'shut' where id = 1`,
      `update whole set status = 'open' where id = 2`,
      `update whole set status = 'shut', id = 3 where id = 2`,
      `delete from whole where id = 1`,
      `insert into whole values (9, 'open')`,
    ])
      await on.source.query(statement);
    expect(await got(goes, 5)).to.deep.equal(['insert 1', 'delete 1', 'update 2', 'delete 2', 'insert 9']);
    expect(await got(stays, 5)).to.deep.equal(['insert 1', 'update 2', 'delete 2', 'delete 1', 'insert 9']);
    expect(await got(pull, 3)).to.deep.equal(['insert 1', 'update 2', 'insert 9']);
    expect(await got(retained, 3)).to.deep.equal(['insert 1', 'update 2', 'insert 9']);
    expect(await notices(pull)).to.deep.equal([]);
  });

  keysAlone.it('a delete that cannot be judged is delivered, and the sink says what to do', async () => {
    const sinks = [
      await add('index', { destination: SEARCH }),
      await add('pull', {}),
      await add('retained', { destination: CHANGE_TABLE }),
    ];
    await on.source.query(`insert into plain values (1, 'draft'), (2, 'open')`);
    await on.source.query(`delete from plain where id = 1`);
    for (const sink of sinks) {
      expect(await got(sink, 2)).to.deep.equal(['insert 2', 'delete 1']);
      const notice = (await notices(sink)).find(({ code }) => code === 'filter_needs_identity')!;
      expect(notice.message).to.equal('public.plain: deletes do not carry status, so the filter lets all of them pass');
      await on.source.query(notice.remedy);
    }
    await on.source.query(`insert into plain values (3, 'draft')`);
    await on.source.query(`delete from plain`);
    for (const sink of sinks) {
      expect(await got(sink, 3)).to.deep.equal(['insert 2', 'delete 1', 'delete 2']);
      expect(await notices(sink)).to.deep.equal([]);
    }
  });

  it('judges a value that an update did not carry, and fields inside json', async () => {
    const long = `open${'x'.repeat(9_000)}`;
    const pull = await add('pull', { filters: [{ ...open, comparison_value: long }] });
    const tiers = await add('tiers', { filters: [gold, { ...open, operator: 'is_null', comparison_value: null }] });
    await on.source.query(`insert into plain values (1, $1)`, [long]);
    await on.source.query(`update plain set note = 'n'`);
    await on.source.query(`insert into plain values (2, null, '', '{"customer": {"tiers": ["gold", "silver"]}}'),
                                                    (3, null, '', '{"customer": {"tiers": ["silver", "gold"]}}'),
                                                    (4, 'open', '', '{"customer": {"tiers": ["gold"]}}')`);
    expect(await got(pull, 2)).to.deep.equal(['insert 1', 'update 1']);
    expect(await got(tiers, 1)).to.deep.equal(['insert 2']);
  });

  it('an enum is compared by its labels, also those that came later', async () => {
    await on.source.query(
      `create type mood as enum ('calm', 'wild'); create table moods (id int primary key, status mood)`,
    );
    await on.source.query('alter publication millrace_test add table moods');
    // Triggers are made when capture looks; the state is that of before until then.
    await on.stop();
    on.start();
    const made = "select from pg_trigger where tgrelid = 'moods'::regclass limit 1";
    if (BY_TRIGGERS) await until('it is captured', async () => (await on.source.query(made)).rowCount === 1);
    const later: ColumnFilter = { ...open, operator: 'in', comparison_value: ['wild', 'tense'] };
    const pull = await add('pull', { filters: [later] });
    const ordered = await add('ordered', { filters: [{ ...open, operator: '>', comparison_value: 'calm' }] });
    await on.source.query("insert into moods values (1, 'calm'), (2, 'wild')");
    expect(await got(pull, 1)).to.deep.equal(['insert 2']);
    await on.source.query("alter type mood add value 'tense' before 'wild'");
    await on.source.query("insert into moods values (3, 'tense'), (4, 'calm'), (5, 'wild')");
    expect(await got(pull, 3)).to.deep.equal(['insert 2', 'insert 3', 'insert 5']);
    // Their order is not in their text: such a filter is refused, not judged wrongly.
    expect((await notices(ordered)).find(({ code }) => code === 'filter_fault')?.message).to.contain('whose order');
  });

  it('a column that goes away, or a value that does not fit, parks the messages with the reason', async () => {
    const pull = await add('pull', {});
    const wrong = await add('wrong', { filters: [{ ...open, column_name: 'id', comparison_value: 'one' }] });
    const healthy = await add('healthy', { filters: [] });
    await on.source.query(`insert into plain values (1, 'open'), (2, 'draft')`);
    await on.source.query('alter table plain drop column status');
    await on.source.query(`insert into plain values (3)`);
    expect(await got(healthy, 3)).to.have.length(3);
    expect(await got(pull, 2)).to.deep.equal(['insert 1', 'insert 3']);
    const { rows } = await on.messages.db.query(
      `select sink_name, error, (message -> 'record' ->> 'id')::int as id from millrace.parked_messages order by sink_name, id`,
    );
    const unfit = 'the value of the filter on id must be a number';
    expect(rows).to.deep.equal([
      { sink_name: 'pull', error: 'there is no published column status to filter by', id: 3 },
      { sink_name: 'wrong', error: unfit, id: 1 },
      { sink_name: 'wrong', error: unfit, id: 2 },
      { sink_name: 'wrong', error: unfit, id: 3 },
    ]);
    const found = (await notices(wrong)).find(({ code }) => code === 'filter_fault')!;
    expect(found.message).to.equal(`public.plain: ${unfit}; its messages are parked`);
    const others = byWay({ replication: ['no_old_values'], triggers: [] });
    expect((await notices(healthy)).map(({ code }) => code)).to.deep.equal(others);
  });
});
