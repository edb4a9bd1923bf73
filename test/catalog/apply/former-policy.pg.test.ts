import { expect } from 'chai';
import { applyConfig } from '../../../src/catalog/apply/apply.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { KEYS, parse, SHOP } from '../support.ts';

const fileWith = (retention: string, table = 'orders_events'): string => `${SHOP}change_retentions:
  - name: history
    source_database: shop
    source_table_name: orders
    destination_database: shop
    destination_table_name: ${table}
    retention: ${retention}
`;
const CRON = '{ by: pg_cron, keep: 30 days }';
const PARTMAN = '{ by: pg_partman, keep: 7 days }';

describe('applying another way to delete old entries', () => {
  let messages: MessageDatabase;
  before(async () => {
    messages = await messageDatabase();
  });
  after(async () => await messages.drop());

  const notesOf = async (...of: Parameters<typeof fileWith>): Promise<string[]> =>
    (await applyConfig({ db: messages.db, keys: KEYS }, parse(fileWith(...of)).config)).notes;

  it('says that an extension goes on as it was told, and how to end that', async () => {
    const cron =
      'change_retention history: the job of pg_cron stays, and deletes entries of "public"."orders_events" that are older than 30 days. ' +
      `To end that: select cron.unschedule('millrace "public"."orders_events"') -- where pg_cron is in another database, the name has this one's before the table`;
    const partman =
      'change_retention history: pg_partman still drops partitions of "public"."orders_events" that are older than 7 days. ' +
      `To end that: delete from partman.part_config where parent_table = 'public.orders_events'`;
    expect(await notesOf(CRON), 'a new one').to.deep.equal([]);
    expect(await notesOf('{ by: pg_cron, keep: 31 days }'), 'the same job').to.deep.equal([]);
    expect(await notesOf(CRON)).to.deep.equal([]);
    expect(await notesOf('{ by: job, keep: 90 days }')).to.deep.equal([cron]);
    expect(await notesOf(PARTMAN)).to.deep.equal([]);
    expect(await notesOf('null')).to.deep.equal([partman]);
    expect(await notesOf(CRON)).to.deep.equal([]);
    expect(await notesOf(CRON, 'orders_log'), 'another table').to.deep.equal([cron]);
  });
});
