import { expect } from 'chai';
import { applyConfig } from '../../../src/catalog/apply/apply.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { KEYS, parse, SHOP } from '../support.ts';

const fileWith = (grouping: string): string => `${SHOP}sinks:
  - name: worker
    database: shop
    destination: { type: pull }
${grouping}`;
const BY_TENANT = '    tables: [{ name: public.orders, group_column_names: [tenant_id] }]\n';

describe('applying other groups', () => {
  let messages: MessageDatabase;
  before(async () => {
    messages = await messageDatabase();
  });
  after(async () => await messages.drop());

  const notesOf = async (grouping: string): Promise<string[]> =>
    (await applyConfig({ db: messages.db, keys: KEYS }, parse(fileWith(grouping)).config)).notes;

  it('says that messages which wait stay in the groups that they have, each time that there are others', async () => {
    expect(await notesOf(''), 'a new sink').to.deep.equal([]);
    const [note, ...more] = await notesOf(BY_TENANT);
    expect(note).to.contain('sink worker: messages that wait already stay in the groups that they have');
    expect(more).to.deep.equal([]);
    expect(await notesOf(BY_TENANT), 'as before').to.deep.equal([]);
    expect(await notesOf('    message_grouping: false\n'), 'no order is wanted').to.deep.equal([]);
    expect(await notesOf('')).to.deep.equal([note]);
  });
});
