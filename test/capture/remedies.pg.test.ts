/** Remedies are run as they are printed: whatever a name holds, and by whoever may. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { repairText } from '../../src/checks/finding.ts';
import { checkPublication } from '../../src/checks/publication.ts';
import { resyncing } from '../../src/checks/resyncing.ts';
import { checkServer } from '../../src/checks/server.ts';
import { checkSlot } from '../../src/checks/slot.ts';
import { checkTable } from '../../src/checks/table.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { quoteIdentifier, quoteTable } from '../../src/model/quote.ts';
import { verifyChangeTable } from '../../src/sinks/change-table/table.ts';
import { describeTable } from '../../src/source/describe-table.ts';
import { readPublication } from '../../src/source/publication-facts.ts';
import { readTables } from '../../src/source/tables.ts';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { hostileName } from '../support/fixtures/hostile.ts';
import { insertSink } from '../support/fixtures/sinks.ts';
import { byWay, IS_CAPTURED } from '../support/postgres/capture-way.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { plainRoleOf } from '../support/postgres/plain-role.ts';
import {
  type Cluster,
  hasPostgres15,
  sharedCluster,
  startCluster,
  type TestDatabase,
} from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const TIMING = { checkMs: 150, recheckMs: 100 };

for (const major of [15, 18] as const) {
  describe(`remedies of the publication, on Postgres ${major}`, () => {
    let on: Captured;
    let cluster: Cluster;
    let database: TestDatabase;
    let role: string;
    let sink: number;
    before(async function () {
      if (major === 15 && !hasPostgres15()) this.skip();
      cluster = major === 18 ? await sharedCluster() : await startCluster({ major });
    });
    after(async () => {
      if (major === 15) await cluster?.stop();
    });
    const begin = async (createIfNotExists: boolean, schema = ''): Promise<void> => {
      database = await cluster.createDatabase();
      role = plainRoleOf(database);
      on = await captured(
        `create table items (id int primary key, name text); create table "odd ""one" (id int primary key);
         create table keyless (a int); ${schema}`,
        {
          cluster,
          database,
          as: 'plain',
          timing: TIMING,
          settings: { publication: { name: 'own', create_if_not_exists: createIfNotExists, init_sql: null } },
        },
      );
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    };
    afterEach(async () => await on?.close());
    /** As psql does, by a superuser. */
    const run = (sql: string) => on.source.query(sql);
    /** Triggers need something of their own, which is said when the publication is there. */
    const alsoRun = async (): Promise<void> => {
      const { remedy } = await until('what it needs', async () => {
        const { reason, remedy } = await on.state();
        return reason?.includes('may not make schema millrace_capture') && { remedy };
      });
      await run(remedy!);
    };
    /** What is said of a table is enough, one after the other. */
    const runAllOf = async (table: string): Promise<void> => {
      const codes = byWay({ replication: ['not_published'], triggers: ['not_published', 'trigger_missing'] });
      for (const code of codes) {
        const { remedy } = await until(`${code} of ${table}`, async () =>
          (await on.notices(sink)).find((notice) => notice.table === table && notice.code === code),
        );
        await run(remedy!);
      }
    };
    const captures = async (): Promise<void> => {
      await on.streaming();
      await run(`insert into items values (1, 'a'); insert into "odd ""one" values (1)`);
      expect((await on.received(sink, 2)).map(({ record_pks }) => record_pks)).to.deep.equal(['["1"]', '["1"]']);
      // Nobody's updates fail because of it.
      await run("update items set name = 'b'; insert into keyless values (1); update keyless set a = 2");
    };

    it('missing, and not to be made by us: the statement is complete', async () => {
      await begin(false);
      on.start();
      const { reason, remedy } = await on.becomes('error');
      expect(reason).to.equal('publication own does not exist');
      await run(remedy);
      await captures();
    });

    it('a role without create on the database: it is named, and so is what somebody else may run', async () => {
      await begin(true);
      await run(`revoke create on database ${database.name} from ${role}`);
      on.start();
      const { reason, remedy } = await on.becomes('error');
      expect(reason).to.equal(
        `role ${role} may not make the publication: permission denied for database ${database.name}`,
      );
      await run(remedy);
      await byWay({ replication: () => Promise.resolve(), triggers: alsoRun })();
      await captures();
    });

    it('a role without create: the grant is enough as well', async () => {
      await begin(true);
      await run(`revoke create on database ${database.name} from ${role}`);
      on.start();
      const { remedy } = await on.becomes('error');
      await run(remedy.slice(remedy.indexOf('grant create')));
      await captures();
    });

    it('tables of somebody else: the statement lists them, our own try leaves them out', async () => {
      await begin(true, 'create table theirs (id int primary key); alter table theirs owner to postgres');
      on.start();
      await on.streaming();
      await runAllOf('public.theirs');
      await run('insert into theirs values (1)');
      expect(await on.received(sink, 1)).to.have.length(1);
    });

    it('ours, but of another owner by now: capture goes on, and says what it may not add', async () => {
      await begin(true);
      on.start();
      await on.streaming();
      await run('alter publication own owner to postgres; create table later (id int primary key)');
      const { remedy } = await until('the notice', async () =>
        (await on.notices(sink)).find(({ table }) => table === 'public.later'),
      );
      expect((await on.state()).state).to.equal('streaming');
      await run(remedy!);
      await until('it is captured', async () => (await on.source.query(IS_CAPTURED, ['later'])).rows.length > 0);
      await run('insert into later values (1)');
      await on.received(sink, 1);
    });
  });
}

describe('remedies for hostile names', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let messages: MessageDatabase;
  let client: pg.Client;
  let source: Database;
  let version: number;

  before(async () => {
    database = await (await sharedCluster()).createDatabase();
    messages = await messageDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    source = openPool({ address: database.url, max: 1, applicationName: 'test' });
    version = Number((await client.query('show server_version_num')).rows[0].server_version_num);
  });
  after(async () => {
    await client?.end();
    await source?.close();
    await messages?.drop();
    await database?.drop();
  });

  /** Several statements at once, as psql sends them one by one: parsed as a whole, and run. */
  const run = (sql: string) => client.query(sql);
  /** Parsed, and not run: the first statement fails. */
  const parses = async (sql: string): Promise<void> => {
    const error: unknown = await client.query(`select 1 / 0; ${sql}`).catch((thrown: unknown) => thrown);
    expect(error, sql).to.have.property('code', '22012');
  };
  const remedyOf = async (work: Promise<unknown>): Promise<string> => {
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    if (!(error instanceof MillraceError) || error.remedy === undefined) throw error;
    return error.remedy;
  };

  it('SQL: tables and publications of any name', async () => {
    const names = fc.tuple(hostileName, hostileName, hostileName);
    await fc.assert(
      fc.asyncProperty(names, async ([schema, name, publication]) => {
        const table = { schema: schema.startsWith('pg_') ? `x${schema}` : schema, name };
        const full = quoteTable(table);
        await run(`create schema ${quoteIdentifier(table.schema)}; create table ${full} (id int primary key);
                   create publication ${quoteIdentifier(publication)}`);
        const find = async () => {
          const facts = (await readPublication(source, publication, version))!;
          const found = (await readTables(source, publication)).find(
            (one) => one.schema === table.schema && one.name === name,
          )!;
          return { facts, found, finding: checkTable(facts, found, false) };
        };
        try {
          const backfill = await remedyOf(describeTable(source, { ...table, publication }));
          const { finding } = await find();
          await parses(backfill);
          await run(finding!.sql!);
          expect((await find()).found.published).to.equal(true);
          await run(`alter publication ${quoteIdentifier(publication)} set (publish = 'insert')`);
          const { facts } = await find();
          for (const one of [
            ...checkSlot({ name: 's', slot: undefined, source: { keepBytes: null }, leftSlots: [name] }),
            ...checkPublication({ ...facts, publishesOurs: true, ourTables: [full] }, 'shop'),
          ])
            await parses(repairText(one));
          for (const one of checkServer({
            version: 150000,
            walLevel: 'replica',
            roleName: name,
            mayReplicate: false,
            inRecovery: false,
            outputPluginLibraries: publication,
          } as never))
            await parses(repairText(one));
          await parses(repairText(resyncing(name)));
          const kept = { schema: table.schema, name: 'kept' };
          const { faults } = await verifyChangeTable(source, kept, null);
          await run(faults[0]!.remedy.replace(/^Set create_if_not_exists: true, or run:\n/, ''));
          expect((await verifyChangeTable(source, kept, null)).faults).to.deep.equal([]);
        } finally {
          await run(
            `drop schema ${quoteIdentifier(table.schema)} cascade; drop publication ${quoteIdentifier(publication)}`,
          );
        }
      }),
      { numRuns: 40, seed: 3 },
    );
  });

  it('shell: the command gets the table as one word, which names it, and nothing else is run', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-remedy-'));
    await mkdir(path.join(folder, 'bin'));
    const stub = path.join(folder, 'bin/millrace');
    await writeFile(stub, `#!/bin/sh\nprintf '%s\\0' "$@" > "$(dirname "$0")/words"\n`);
    await chmod(stub, 0o755);
    const sinks = await declareSinks(messages.db);
    try {
      await fc.assert(
        fc.asyncProperty(hostileName, hostileName, fc.boolean(), async (schema, name, isKnown) => {
          // Only what was captured is known by its parts.
          const plain = isKnown ? { schema, name } : { schema: schema.replaceAll('.', ''), name };
          fc.pre(plain.schema !== '' && (isKnown || !name.startsWith('.')));
          if (isKnown)
            await messages.db.query(
              `insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
               values ($1, 1, $2, $3, '') on conflict do nothing`,
              [sinks.databaseNo, schema, name],
            );
          for (const no of [sinks.index, sinks.pull]) {
            const { rows } = await messages.db.query<{ remedy: string }>(
              `select millrace_private.how_to_catch_up($1, 'added_late', $2) as remedy`,
              [no, `${plain.schema}.${plain.name}`],
            );
            execFileSync('/bin/sh', ['-c', rows[0]!.remedy], { cwd: folder, stdio: 'ignore' });
            const words = (await readFile(path.join(folder, 'bin/words'), 'utf8')).split('\0').slice(0, -1);
            expect(words.slice(0, 2)).to.deep.equal(['backfill', no === sinks.index ? 'the-index' : 'the.pull']);
            expect(words).to.have.length(3);
            const parts = await messages.db.query<{ parts: string[] }>(
              'select millrace_private.table_parts($1) as parts',
              [words[2]],
            );
            expect(parts.rows[0]!.parts).to.deep.equal([plain.schema, plain.name]);
          }
          await messages.db.query('delete from millrace_private.source_tables');
        }),
        { numRuns: 60, seed: 5 },
      );
      expect(await readdir(folder)).to.deep.equal(['bin']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

async function declareSinks(db: Database): Promise<{ databaseNo: number; index: number; pull: number }> {
  const { rows } = await db.query<{ no: number; id: string }>(
    `insert into millrace_private.databases (name, settings, address, hostname, database_name)
     values ('shop', '{}', '', 'localhost', 'shop') returning no, id`,
  );
  const { no: databaseNo, id } = rows[0]!;
  const add = async (name: string, kind: string, destination: typeof PULL | typeof SEARCH): Promise<number> => {
    const settings = sinkSettings({ name, destination });
    return (await insertSink(db, { name, kind, databaseId: id, settings, lanes: 1 })).no;
  };
  return {
    databaseNo,
    index: await add('the-index', 'search_index', SEARCH),
    pull: await add('the.pull', 'pull', PULL),
  };
}
