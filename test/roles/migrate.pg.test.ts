/** The role `migrate` makes the first person where it is told to, and never again. */
import { expect } from 'chai';
import { checkPassword } from '../../src/admin/log-in.ts';
import { migrate } from '../../src/roles/migrate.ts';
import { readSettings, withDatabase } from '../../src/runtime/settings.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

describe('migrate with ADMIN_PASSWORD', () => {
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m?.drop());

  const start = async (password: string): Promise<void> => {
    const env = { DATABASE_URL: m.url, SECRET_KEY: 'p4Yq8sW2nV6bT0xR7kL3mJ9dF5gH1cZa', LOG_LEVEL: 'silent' };
    await migrate(withDatabase(readSettings({ ...env, ADMIN_PASSWORD: password })));
  };
  const isAdmins = async (password: string): Promise<boolean> =>
    (await checkPassword(m.db, { email: 'admin', password }, { address: '127.0.0.1', userAgent: null })) !== undefined;

  it('makes the user admin, and leaves that of a former start as it is', async () => {
    await start('the first password');
    expect(await isAdmins('the first password')).to.equal(true);
    await start('a later password');
    expect([await isAdmins('the first password'), await isAdmins('a later password')]).to.deep.equal([true, false]);
    const { rows } = await m.db.query(`select actor, action, subject from millrace.audit order by id`);
    expect(rows).to.deep.equal([{ actor: 'file start', action: 'create', subject: 'user admin' }]);
  });
});
