/** Traps in the rights of our role at a source, and a source that does not answer at all. */
import { createServer } from 'node:net';
import { expect } from 'chai';
import { PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';
import { plainRoleOf } from '../../support/postgres/plain-role.ts';

describe('millrace doctor: the role at the source', function () {
  this.timeout(120_000);
  let by: Examined;
  let role: string;

  before(async () => {
    by = await examined('create table orders (id int primary key)', { as: 'plain' });
    role = plainRoleOf({ name: new URL(by.on.sourceUrl).pathname.slice(1) });
    await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    by.on.start();
    await by.streams();
    await by.stop();
  });
  after(async () => await by?.close());
  const query = (sql: string) => by.on.source.query(sql);

  it('finds that it may not replicate', async () => {
    await query(`alter role ${role} noreplication`);
    expect(await by.repair('may_not_replicate')).to.include({ status: 'ERROR', place: 'database shop' });
    expect(await by.finding('may_not_replicate')).to.equal(undefined);
  });

  it('finds tables that it may not read', async () => {
    await query('alter table orders owner to postgres; revoke all on orders from public');
    expect(await by.repair('no_select')).to.include({ status: 'WARNING', place: 'database shop' });
    expect(await by.finding('no_select')).to.equal(undefined);
  });

  it('finds that it may not log in', async () => {
    await query(`alter role ${role} nologin`);
    expect(await by.finding('auth')).to.include({ status: 'ERROR', subject: 'database shop' });
    await query(`alter role ${role} login`);
    expect(await by.finding('auth')).to.equal(undefined);
  });
});

describe('millrace doctor: a source that never answers', function () {
  this.timeout(120_000);

  it('is not waited for, and everything else is said', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const through = (url: string): string => Object.assign(new URL(url), { port: String(port) }).href;
    const by = await examined('create table orders (id int primary key)', { through });
    try {
      await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      const { code, text } = await by.doctor();
      expect(code).to.equal(2);
      expect(text)
        .to.match(/^ERROR {2}database shop {2}\(timed_out\)/m)
        .and.include('sink all');
    } finally {
      await by.close();
      silent.close();
    }
  });
});
