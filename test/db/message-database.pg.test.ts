/** DATABASE_URL against servers with TLS of every kind, and against those that refuse: each error has its own remedy. */
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { serverAccount } from '../../src/db/embedded/account.ts';
import { messageDatabase } from '../../src/db/message-database.ts';
import { openPool } from '../../src/db/pool.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { certificateAuthority, selfSignedCertificate } from '../support/fixtures/certificate.ts';
import { sharedCluster, startCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import { startTlsFront, type TlsFront } from '../support/postgres/tls-front.ts';

describe('messageDatabase', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  const fronts: TlsFront[] = [];

  before(async () => {
    database = await (await sharedCluster()).createDatabase();
  });
  after(async () => {
    await Promise.all(fronts.map((front) => front.close()));
    await database.drop();
  });

  const front = async (certificate = selfSignedCertificate()): Promise<TlsFront> => {
    const made = await startTlsFront(database.url, certificate);
    fronts.push(made);
    return made;
  };
  const outcome = async (databaseUrl: string, databaseCaCert: string | null = null): Promise<string> => {
    try {
      const db = openPool(await messageDatabase({ databaseUrl, databaseCaCert }, 'test'));
      await db.query('select 1');
      await db.close();
      return 'in';
    } catch (error) {
      expect(error).to.be.instanceOf(MillraceError);
      const { message, remedy } = (error as MillraceError).faults[0]!;
      expect((error as MillraceError).faults[0]).to.have.property('field', 'DATABASE_URL');
      expect(`${message} ${remedy}`).not.to.contain('test-password');
      return `${message}. ${remedy ?? ''}`;
    }
  };

  it('means by sslmode what libpq means', async () => {
    const { url } = await front();
    for (const parameters of ['', 'sslmode=allow', 'sslmode=prefer', 'sslmode=require']) {
      expect(await outcome(url(parameters)), parameters).to.equal('in');
    }
    for (const parameters of ['sslmode=verify-ca', 'sslmode=verify-full', 'sslrootcert=system']) {
      expect(await outcome(url(parameters)), parameters)
        .to.contain('self-signed')
        .and.to.contain('DATABASE_CA_CERT')
        .and.to.contain('sslmode=require');
    }
    expect(await outcome(`${database.url}?sslmode=disable`)).to.equal('in');
    expect(await outcome(`${database.url}?sslmode=require`))
      .to.contain('does not speak TLS')
      .and.to.contain('sslmode=disable');
    expect(await outcome(url('sslmode=bogus'))).to.contain('unknown sslmode');
  });

  it('verifies by a certificate of yours, its name too unless sslmode says otherwise', async () => {
    const authority = certificateAuthority();
    const right = await front(authority.issue());
    const wrong = await front(authority.issue({ address: [127, 0, 0, 2] }));
    const old = await front(authority.issue({ from: -2, to: -1 }));
    for (const parameters of ['', 'sslmode=require', 'sslmode=verify-ca', 'sslmode=verify-full']) {
      const verifiesName = parameters === '' || parameters.endsWith('full');
      expect(await outcome(right.url(parameters), authority.cert), parameters).to.equal('in');
      const named = await outcome(wrong.url(parameters), authority.cert);
      if (verifiesName) expect(named, parameters).to.contain('is for another name');
      else expect(named, parameters).to.equal('in');
      expect(await outcome(old.url(parameters), authority.cert), parameters).to.contain('has expired');
      expect(await outcome(right.url(parameters), certificateAuthority().cert), parameters)
        .to.contain('authority that is not known here')
        .and.to.contain('DATABASE_CA_CERT');
    }
    const own = selfSignedCertificate();
    expect(await outcome((await front(own)).url(), own.cert)).to.equal('in');
    expect(await outcome(right.url('sslmode=disable'), authority.cert)).to.contain('which verifies nothing');
  });

  it('says for each refusal what to do about it', async () => {
    const url = new URL(database.url);
    const at = (change: (other: URL) => void): string => {
      const other = new URL(url);
      change(other);
      return other.href;
    };
    for (const [address, words, remedy] of [
      [at((other) => (other.pathname = '/nowhere')), 'database "nowhere" does not exist', 'Create that database'],
      [
        at((other) => (other.password = 'wrong')),
        'password authentication failed',
        'user and password in DATABASE_URL',
      ],
      [at((other) => (other.port = '1')), 'nothing listens', 'Start the server'],
      [at((other) => (other.hostname = 'nowhere.invalid')), 'not known', 'host and port in DATABASE_URL'],
      [`postgres:///d?host=${import.meta.dirname}`, 'no such socket', 'folder that holds its socket'],
    ] as const) {
      expect(await outcome(address), words)
        .to.contain(words)
        .and.to.contain(remedy);
    }
  });

  it('goes through a Unix socket, where sslmode means nothing', async () => {
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const { rows } = await admin.query<{ folder: string }>(`select current_setting('unix_socket_directories') folder`);
    await admin.end();
    const folder = rows[0]!.folder.split(',')[0]!.trim();
    if (folder === '') return;
    const { port, password, pathname } = new URL(database.url);
    const url = `postgres://postgres:${password}@${encodeURIComponent(folder)}:${port}${pathname}`;
    expect(await outcome(url)).to.equal('in');
    expect(await outcome(`${url}?sslmode=verify-full`)).to.equal('in');
  });
});

describe('messageDatabase with channel binding', function () {
  this.timeout(120_000);

  it('logs in where the certificate is the server’s own, and not where somebody is in between', async () => {
    const { uid, gid } = await serverAccount();
    const dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-tls-'));
    await chmod(dir, 0o755);
    const write = async (name: string, text: string): Promise<string> => {
      const file = path.join(dir, name);
      await writeFile(file, text, { mode: 0o600 });
      if (uid !== undefined) await chown(file, uid, gid ?? uid);
      return file;
    };
    const { cert, key } = selfSignedCertificate();
    const cluster = await startCluster({
      settings: {
        ssl: 'on',
        ssl_cert_file: await write('server.crt', cert),
        ssl_key_file: await write('server.key', key),
      },
    });
    const database = await cluster.createDatabase();
    const between = await startTlsFront(database.url, selfSignedCertificate());
    try {
      const to = (url: string) => messageDatabase({ databaseUrl: url, databaseCaCert: null }, 'test');
      const db = openPool(await to(`${database.url}?channel_binding=require`));
      const { rows } = await db.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
      await db.close();
      expect(rows).to.deep.equal([{ ssl: true }]);
      const caught = await to(between.url('sslmode=require&channel_binding=require')).catch((error: unknown) => error);
      expect((caught as MillraceError).message).to.contain('channel binding');
    } finally {
      await between.close();
      await cluster.stop();
      await rm(dir, { recursive: true });
    }
  });
});

describe('messageDatabase on a server that lets nobody in', function () {
  this.timeout(120_000);

  it('tells a missing line of pg_hba.conf from a missing right', async () => {
    const cluster = await startCluster({});
    const database = await cluster.createDatabase();
    const admin = new pg.Client({ connectionString: cluster.adminUrl });
    try {
      await admin.connect();
      await admin.query(`create role guest login password 'guest-password'`);
      await admin.query(`create role asleep nologin password 'guest-password'`);
      await admin.query(`revoke connect on database ${database.name} from public`);
      const as = async (user: string): Promise<string> => {
        const url = new URL(database.url);
        Object.assign(url, { username: user, password: 'guest-password' });
        const error = await messageDatabase({ databaseUrl: url.href, databaseCaCert: null }, 'test').catch(
          (one: unknown) => one,
        );
        const [fault] = (error as MillraceError).faults;
        return `${fault?.message} ${fault?.remedy}`;
      };
      expect(await as('guest')).to.contain('grant connect on database');
      expect(await as('asleep')).to.contain('alter role ... login');
      const { rows } = await admin.query<{ file: string }>(`select current_setting('hba_file') file`);
      await admin.query(`copy (select 'host all postgres 127.0.0.1/32 scram-sha-256') to '${rows[0]!.file}'`);
      await admin.query('select pg_reload_conf()');
      expect(await as('guest'))
        .to.contain('no pg_hba.conf entry')
        .and.to.contain('to its pg_hba.conf');
    } finally {
      await admin.end();
      await cluster.stop();
    }
  });
});
