import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { withProcess } from '../../src/cli/client/in-process.ts';
import { runSql, sqlAddress } from '../../src/cli/sql-prompt.ts';
import { isComplete, table } from '../../src/cli/sql-table.ts';
import { openPool } from '../../src/db/pool.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { openState, writeState } from '../../src/runtime/state.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import { startCli } from '../support/processes/cli.ts';
import { until } from '../support/until.ts';

const unread = () => ({ input: Readable.from([]), output: new PassThrough(), errors: new PassThrough() });

describe('sql', () => {
  let database: TestDatabase;
  before(async () => {
    database = await (await sharedCluster()).createDatabase();
  });
  after(() => database.drop());

  async function ask(sql: string | undefined, input = ''): Promise<{ code: number; printed: string; told: string }> {
    const [output, errors] = [new PassThrough(), new PassThrough()];
    const [printed, told] = [text(output), text(errors)];
    const options = { ...(sql === undefined ? {} : { sql }), home: '/nowhere', env: { DATABASE_URL: database.url } };
    const code = await runSql(options, { input: Readable.from([input]), output, errors });
    output.end();
    errors.end();
    return { code, printed: await printed, told: await told };
  }

  it('prints rows as an aligned table, values as Postgres writes them', async () => {
    const { code, printed } = await ask(
      "select 7 as id, 12.50::numeric as price, null as nothing, E'two\\nlines' as note union all select 11, 3, 'x', 'ü'",
    );
    expect(code).to.equal(0);
    expect(printed.split('\n')).to.deep.equal([
      ' id | price | nothing |   note',
      '----+-------+---------+-----------',
      '  7 | 12.50 |         | two⏎lines',
      ' 11 |     3 | x       | ü',
      '(2 rows)',
      '',
      '',
    ]);
  });

  it('prints the command and its rows, for several statements', async () => {
    const { code, printed } = await ask(
      'create table t (a int); insert into t values (1), (2); select a from t where a = 2',
    );
    expect(code).to.equal(0);
    expect(printed).to.equal('CREATE\nINSERT 2\n a\n---\n 2\n(1 row)\n\n');
  });

  it("says Postgres' error with its line where errors go, and fails", async () => {
    const { code, printed, told } = await ask('select 1\n  from nix');
    expect([code, printed]).to.deep.equal([1, '']);
    expect(told).to.equal('ERROR: relation "nix" does not exist (42P01)\nLINE 2:   from nix\n');
  });

  it('leaves no statement running when it is interrupted', async () => {
    const db = openPool({ address: database.url, max: 1, applicationName: 'millrace test' });
    const runs = async (): Promise<boolean> =>
      (await db.query("select from pg_stat_activity where state = 'active' and query = 'select pg_sleep(900)'")).rows
        .length > 0;
    const command = startCli(['sql', 'select pg_sleep(900)'], { DATABASE_URL: database.url });
    try {
      await until('it runs', runs, 60_000);
      command.interrupt();
      await until('it has ended', async () => !(await runs()), 60_000);
    } finally {
      command.kill();
      await db.close();
    }
  });

  it('gives up after --timeout', async () => {
    const ended = await startCli(['sql', '--timeout', '1', 'select pg_sleep(902)'], {
      DATABASE_URL: database.url,
    }).ended(60_000);
    expect([ended.code, ended.stdout]).to.deep.equal([1, '']);
    expect(ended.stderr).to.include('no answer within 1 s');
  });

  it('is a prompt without a statement: several lines, errors and the end of input', async () => {
    const { code, printed, told } = await ask(undefined, "select 'a;\nb' as x;\nselect nix;\n\nselect\n 5 as five");
    expect(printed).to.contain('a;⏎b').and.to.contain('five');
    expect(told).to.contain('column "nix" does not exist');
    expect(code).to.equal(0);
    expect((await ask(undefined, 'select 1 as one;\n\\q\nselect 2 as two;\n')).printed)
      .to.contain('one')
      .and.not.to.contain('two');
  });

  it('asks for nothing where nobody types: what is printed is what was asked for', async () => {
    expect(await ask(undefined, 'select 1 as one;\nselect\n  2 as two;\n')).to.deep.equal({
      code: 0,
      printed: ' one\n-----\n   1\n(1 row)\n\n two\n-----\n   2\n(1 row)\n\n',
      told: '',
    });
  });

  it("takes psql's commands that the documentation uses", async () => {
    const wide = "select 'shop' as database_name, 1 as epoch";
    const expected = '-[ RECORD 1 ]-+-----\ndatabase_name | shop\nepoch         | 1\n\n';
    expect((await ask(undefined, `${wide} \\gx\n`)).printed).to.contain(expected);
    expect((await ask(undefined, `${wide}\n  \\gx\nselect 2 as two;\n`)).printed)
      .to.contain(expected)
      .and.contain('\n two\n');
    expect((await ask(undefined, `\\x\n${wide};\n\\x\nselect 2 as two \\g\n`)).printed)
      .to.contain('Expanded display is on.')
      .and.contain(expected)
      .and.contain('\n two\n');
    expect((await ask(`${wide} \\gx`)).printed).to.equal(expected);
    expect((await ask(undefined, "select '\\gx' as text;\n")).printed).to.contain('\n \\gx\n');
    expect((await ask(undefined, 'select 1 as one where false \\gx\n')).printed).to.contain('(0 rows)');
    expect((await ask(undefined, "select 'long' as a \\gx\n")).printed).to.contain('-[ RECORD 1 ]\na | long\n');
  });

  it('knows when a statement is complete', () => {
    for (const complete of [
      'select 1;',
      "select ';';",
      'select 1; -- done',
      'do $$ begin; end $$;',
      '/* ; */ select 1 ; ',
      'select \'a\'\'b\', "x""y";',
      'do $x$ $y$ $x$;',
      'select 1; /* done */',
    ]) {
      expect(isComplete(complete), complete).to.equal(true);
    }
    for (const open of [
      'select 1',
      "select ';",
      'do $$ begin;',
      'select 1 -- ;',
      'select "a;',
      '/* ;',
      'do $x$ $y$;',
      'select 1; -- done\nselect',
      "select 1; 'x'",
    ]) {
      expect(isComplete(open), open).to.equal(false);
    }
    expect(table({ command: 'SELECT', rowCount: 0, columns: [{ name: 'a', numeric: true }], rows: [] })).to.equal(
      ' a\n---\n(0 rows)\n',
    );
  });

  it('says that there is no such database, and takes no certificate that is none', async () => {
    const cluster = await sharedCluster();
    const run = async (env: NodeJS.ProcessEnv, database?: string): Promise<MillraceError> => {
      const options = { sql: 'select 1', home: '/nowhere', env, ...(database === undefined ? {} : { database }) };
      const error = await runSql(options, unread()).catch((one) => one);
      expect(error).to.be.instanceOf(MillraceError);
      return error;
    };
    const missing = await run({ DATABASE_URL: cluster.adminUrl }, 'a b');
    expect(missing.message).to.equal('There is no database a b on this server');
    expect(missing.remedy).to.contain('--database');
    const wrong = await run({ DATABASE_URL: cluster.adminUrl.replace(/\/\w*$/, '/nothing') });
    expect(wrong.faults[0]?.remedy).to.equal(
      'Create that database on the server, or correct the database in DATABASE_URL.',
    );
    const [fault] = (await run({ DATABASE_URL: cluster.adminUrl, DATABASE_CA_CERT: 'none' })).faults;
    expect(fault).to.include({ field: 'DATABASE_CA_CERT' });
  });

  it('finds the embedded server of the folder, and says what to do when there is none', async () => {
    const home = await mkdtemp(path.join(os.tmpdir(), 'millrace-state-'));
    try {
      const missing = await sqlAddress({ home, env: {} }).catch((error: unknown) => error);
      expect(missing).to.be.instanceOf(MillraceError);
      expect((missing as MillraceError).remedy).to.contain('bin/millrace start');
      const state = await openState(home);
      await writeState(home, { ...state, postgresPort: 5 });
      expect(await sqlAddress({ home, env: {}, database: 'a b' })).to.match(
        /^postgres:\/\/postgres:[\w-]+@127\.0\.0\.1:5\/a%20b$/,
      );
      const refused = await runSql({ sql: 'select 1', home, env: {} }, unread()).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(MillraceError).and.to.have.property('message', 'The database cannot be reached');
      const place = { home, env: {} };
      const asked = async (route: string): Promise<string> => {
        try {
          return (await withProcess(place, (client) => client.ask({ route }))).text;
        } catch (error) {
          return `${error} ${(error as MillraceError).cause} ${(error as MillraceError).remedy}`;
        }
      };
      for (const route of ['GET /api/doctor', 'GET /api/sinks'])
        expect(await asked(route), route)
          .to.include('Run `bin/millrace start` in this folder')
          .and.not.include('DATABASE_URL');
    } finally {
      await rm(home, { recursive: true });
    }
  });
});
