/** Source databases over HTTP, and who asks. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { openTokens } from '../../src/catalog/tokens.ts';
import type { Reply } from '../support/processes/web.ts';
import { testWeb } from '../support/processes/web.ts';
import { CANARIES, type Managed, managed } from './support.ts';

describe('api: databases', () => {
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const get = async (at: string): Promise<Reply> => await all.web.call('GET', `/api/${at}`, { token: 'read-token' });
  const accept = async (body?: unknown): Promise<Reply> =>
    await all.web.call('POST', '/api/postgres_databases/shop/accept_gap', { token: 'operate-token', body });

  it('are shown as they are declared and as they are, without a password', async () => {
    const { json, text } = await get('postgres_databases');
    expect(json.data.map(({ name }: { name: string }) => name)).to.deep.equal(['other', 'shop']);
    expect(json.data[1]).to.deep.include({
      ...{ hostname: 'db.example.com', database: 'shop', password: '********', pool_size: 3 },
      replication_slots: [{ slot_name: 'millrace', publication_name: 'millrace' }],
    });
    expect(json.data[1].state).to.include({ state: 'starting', epoch: 1 });
    for (const secret of CANARIES) expect(text).to.not.include(secret);
    expect((await get(`postgres_databases/${json.data[1].id}`)).json.name).to.equal('shop');
    expect((await get('postgres_databases/nobody')).json.summary).to.equal('there is no database nobody');
  });

  it('have a gap accepted, and no epoch begun without need', async () => {
    const refused = await accept();
    expect([refused.status, refused.json.code, refused.json.state]).to.deep.equal([409, 'wrong_state', 'starting']);
    expect((await accept({ force: 'yes' })).json.validation_errors).to.deep.equal({ force: ['must be true or false'] });
    expect((await accept({ force: true })).json).to.deep.equal({ epoch: 2 });
    await all.m.db.query("update millrace_private.positions set state = 'needs_resync'");
    expect((await accept()).json).to.deep.equal({ epoch: 3 });
  });

  it('tell who asks what it may do', async () => {
    const token = 'x8dk2ls7aj3hg5mq';
    const { rows } = await all.m.db.query<{ id: string }>(
      `insert into millrace_private.api_tokens (name, hash, scopes) values ('ci', sha256($1), '{read,consume:orders}')
       returning id`,
      [Buffer.from(token)],
    );
    const web = await testWeb({ db: all.m.db, findToken: openTokens({ db: all.m.db }).find });
    const { json, text } = await web.call('GET', '/api/whoami', { token });
    await web.close();
    const file = readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8');
    const { version } = JSON.parse(file) as { version: string };
    const scopes = ['read', 'consume:orders'];
    expect(json).to.deep.equal({ token: { id: rows[0]!.id, name: 'ci' }, user: null, csrf: null, scopes, version });
    expect(text).to.not.include(token);
  });
});
