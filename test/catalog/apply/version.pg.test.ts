/** Each change of a thing is one more version of it and says who made it; what only rewrites it is none. */
import { expect } from 'chai';
import { applyConfig } from '../../../src/catalog/apply/apply.ts';
import { storeTraits } from '../../../src/catalog/apply/traits.ts';
import type { Transacting } from '../../../src/db/pool.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { code, KEYS, parse, sinkFile } from '../support.ts';

const FILE = `${sinkFile('destination: { type: pull }')}${code('transform')}`;

describe('catalog/apply: versions', () => {
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  const versions = async (): Promise<string> => {
    const { rows } = await m.db.query<{ text: string }>(`
      select string_agg(concat_ws(' ', t.name, t.version, t.updated_by), ', ' order by t.name collate "C") as text
        from (select name, version, updated_by from millrace_private.databases
              union all select name, version, updated_by from millrace_private.functions
              union all select name, version, updated_by from millrace_private.sinks) t`);
    return rows[0]!.text;
  };
  const apply = (text: string, actor: string, options: Parameters<typeof applyConfig>[2] = {}) => {
    const transaction: Transacting['transaction'] = (work) =>
      m.db.transaction(async (tx) => {
        await tx.query(`set local millrace.actor = '${actor}'`);
        return await work(tx);
      });
    return applyConfig({ db: { ...m.db, transaction }, keys: KEYS }, parse(text).config, options);
  };

  it('rise with what changes a thing, and with nothing else', async () => {
    const { rows } = await m.db.query<{ role: string }>('select session_user as role');
    await apply(FILE, 'token ci');
    expect(await versions()).to.equal('f 1 token ci, shop 1 token ci, worker 1 token ci');
    await apply(FILE, 'token other');
    await storeTraits(m.db);
    await m.db.query("update millrace_private.sinks set takes_rows = false, metadata = '' where name = 'worker'");
    await storeTraits(m.db);
    expect(await versions()).to.equal('f 1 token ci, shop 1 token ci, worker 1 token ci');
    await apply(FILE.replace('type: pull', 'type: pull, max_waiting: 3'), 'token other');
    expect(await versions()).to.equal('f 1 token ci, shop 1 token ci, worker 2 token other');
    for (let time = 0; time < 2; time += 1) await m.db.query("select millrace.pause('worker')");
    expect(await versions()).to.equal(`f 1 token ci, shop 1 token ci, worker 3 sql ${rows[0]!.role}`);
  });

  it('rise when a file takes a thing over', async () => {
    const before = await versions();
    await apply(`${sinkFile('status: active\ndestination: { type: pull, max_waiting: 3 }')}`, 'file start', {
      from: 'start',
    });
    const after = await versions();
    expect(after).to.not.equal(before);
    expect(after).to.match(/^f 1 token ci, shop \d file start, worker \d file start$/);
  });
});
