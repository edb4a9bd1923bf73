/** Rows that are larger than `max_row_bytes` before or after a change: what they are now decides. */
import { expect } from 'chai';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { until } from '../support/until.ts';

const MOST = 4_096;
const LARGE = "repeat('x', 5000)";
/** Two of them are too much for one message. */
const HALF = 3_000;

describe('rows around max_row_bytes whose old values are known', () => {
  let on: Captured;
  let pull: number;
  let search: number;

  beforeEach(async () => {
    on = await captured(
      `create table t (id int primary key, n int, note text); alter table t replica identity full;
       create table keyless (note text); alter table keyless replica identity full;`,
      { settings: { max_row_bytes: MOST } },
    );
    pull = await on.addSink(sinkSettings({ name: 'pull', destination: PULL }));
    search = await on.addSink(
      sinkSettings({
        name: 'search',
        destination: SEARCH,
        filters: [{ column_name: 'n', operator: '!=', comparison_value: 9, field_path: null, field_type: null }],
      }),
    );
    on.start();
    await on.streaming();
  });
  afterEach(() => on.close());

  const told = async (sink: number, count: number) =>
    (await on.received(sink, count)).map(({ action, record, changes }) => [action, record, changes]);
  const parked = async (sink: string): Promise<string[]> => {
    const { rows } = await on.messages.db.query<{ record_pk: string; action: string }>(
      'select record_pk, action from millrace.parked_messages where sink_name = $1 order by id',
      [sink],
    );
    return rows.map(({ record_pk, action }) => `${action} ${record_pk}`);
  };
  const notices = async (sink: number) =>
    (await on.notices(sink)).filter(({ code }) => code === 'values_left_out').map(({ message }) => message);
  const SAID =
    'public.t: old values of rows were larger than max_row_bytes and are left out of messages: of them there is the key alone';

  it('a row that shrinks is delivered without what it was, and that is said', async () => {
    await on.source.query(`insert into t values (1, 1, ${LARGE})`);
    await on.source.query("update t set note = 'small' where id = 1");
    const messages = [
      ['insert', '{"id":1}', null],
      ['update', '{"id":1,"n":1,"note":"small"}', '{}'],
    ];
    expect(await told(pull, 2)).to.deep.equal(messages);
    expect(await told(search, 2)).to.deep.equal(messages);
    expect(await parked('pull')).to.deep.equal(['insert 1']);
    expect(await parked('search')).to.deep.equal(['insert 1']);
    await until('it is said', async () => (await notices(pull)).length > 0);
    expect(await notices(pull)).to.deep.equal([SAID]);
    expect(await notices(search)).to.deep.equal([]);
  });

  it('a delete of a large row is delivered with its key', async () => {
    await on.source.query(`insert into t values (1, 1, ${LARGE})`);
    await on.source.query('delete from t');
    expect((await told(pull, 2))[1]).to.deep.equal(['delete', '{"id":1}', null]);
    expect((await told(search, 2))[1]).to.deep.equal(['delete', '{"id":1}', null]);
    expect([await parked('pull'), await parked('search')]).to.deep.equal([['insert 1'], ['insert 1']]);
    await until('it is said', async () => (await notices(pull)).includes(SAID));
  });

  it('a row that grows too large is parked with its key, and it goes from an index that its filter takes it out of', async () => {
    await on.source.query("insert into t values (1, 1, 'small')");
    await on.source.query(`update t set note = ${LARGE}`);
    await on.source.query('update t set n = 9');
    expect((await told(pull, 3)).slice(1)).to.deep.equal([
      ['update', '{"id":1}', '{}'],
      ['update', '{"id":1}', '{}'],
    ]);
    expect(await parked('pull')).to.deep.equal(['update 1', 'update 1']);
    expect((await told(search, 3))[2]).to.deep.equal(['delete', '{"id":1}', null]);
    expect(await parked('search')).to.deep.equal(['update 1']);
  });

  it('two rows that fit one by one are delivered, with what changed as far as there is room', async () => {
    await on.source.query(`insert into t values (1, 1, repeat('a', ${HALF}))`);
    await on.source.query('update t set n = 2');
    await on.source.query(`update t set note = repeat('b', ${HALF})`);
    expect((await told(pull, 3)).slice(1)).to.deep.equal([
      ['update', JSON.stringify({ id: 1, n: 2, note: 'a'.repeat(HALF) }), '{"n":1}'],
      ['update', JSON.stringify({ id: 1, n: 2, note: 'b'.repeat(HALF) }), '{}'],
    ]);
    expect(await parked('pull')).to.deep.equal([]);
  });

  it('a key that changes is told by its old value, however large the row was', async () => {
    await on.source.query(`insert into t values (1, 1, ${LARGE})`);
    await on.source.query("update t set id = 2, note = 'small'");
    expect((await told(pull, 2))[1]).to.deep.equal(['update', '{"id":2,"n":1,"note":"small"}', '{"id":1}']);
    expect((await told(search, 3)).slice(1)).to.deep.equal([
      ['delete', '{"id":1}', null],
      ['update', '{"id":2,"n":1,"note":"small"}', '{"id":1}'],
    ]);
    await on.source.query(`update t set id = 3, note = ${LARGE}`);
    expect((await told(search, 5)).slice(3).map(([action]) => action)).to.deep.equal(['delete', 'update']);
    expect(await parked('search')).to.deep.equal(['insert 1', 'update 3']);
  });

  it('a delete of a large row without a key is parked', async () => {
    await on.source.query(`insert into keyless values (${LARGE}); delete from keyless`);
    await on.received(pull, 2);
    expect(await parked('pull')).to.have.length(2);
  });
});
