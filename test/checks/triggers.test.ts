/** Checks of a source whose changes triggers note. */
import { expect } from 'chai';
import { checkConnections } from '../../src/checks/capacity.ts';
import { repairText } from '../../src/checks/finding.ts';
import { checkPublication, type PublicationFacts, plannedPublication } from '../../src/checks/publication.ts';
import { checkServer } from '../../src/checks/server.ts';
import { checkLeftSlots } from '../../src/checks/slot.ts';
import { checkTable, isPublishable } from '../../src/checks/table.ts';
import { checkTriggered, checkTriggers, type TriggeredTable, type TriggerFacts } from '../../src/checks/triggers.ts';
import { PUBLICATION, SOURCE, TABLE } from '../support/fixtures/source-facts.ts';

const NOTED: TriggeredTable = {
  schema: 'public',
  name: 't"t',
  hasTriggers: true,
  enabled: 'always',
  hasLists: false,
  mayMake: true,
  sql: 'create trigger',
};
const FACTS: TriggerFacts = {
  schemaVersion: 1,
  wantedVersion: 1,
  mayMakeSchema: true,
  foreign: null,
  schemaSql: 'create schema',
  tables: new Map([[1, NOTED]]),
  notedBytes: 1_000,
  oldestUnreadSeconds: 3,
};
const LISTED: PublicationFacts = { ...PUBLICATION, complete: false, publishesOld: false, byTriggers: true };
const KEYLESS = { ...TABLE, has_key: false, usable_key: false, has_identity: false, covers_key: false };
const READ = { database: 'shop', isRead: true };
const ids = (found: readonly { id: string; status: string }[]) => found.map(({ id, status }) => [id, status]);

describe('checks of a source whose changes triggers note', () => {
  it('find nothing when all is well', () => {
    expect(checkTriggers(FACTS, READ)).to.deep.equal([]);
    expect(checkTriggered(NOTED, LISTED)).to.equal(undefined);
    expect(checkPublication(LISTED, 'shop')).to.deep.equal([]);
    expect(checkTable(LISTED, TABLE, false)).to.equal(undefined);
  });

  it('ask neither for WAL of a kind nor for a role that may replicate, and each of those names both ways', () => {
    const bare = { ...SOURCE, walLevel: 'replica', mayReplicate: false, outputPluginLibraries: '' };
    expect(checkServer(bare, 'triggers')).to.deep.equal([]);
    expect(ids(checkServer({ ...bare, inRecovery: true, version: 130000 }, 'triggers'))).to.deep.equal([
      ['too_old', 'error'],
      ['standby', 'error'],
    ]);
    for (const finding of checkServer(bare).slice(0, 2))
      expect(repairText(finding), finding.id).to.match(/^alter (system|role).*; or.* declare `capture: triggers`/);
  });

  it('take tables without a key into a list that publishes inserts alone, and into no other', () => {
    expect(isPublishable(KEYLESS, LISTED)).to.equal(true);
    expect(checkTable(LISTED, KEYLESS, false)).to.equal(undefined);
    const left = checkTable(LISTED, { ...KEYLESS, published: false }, false)!;
    expect([left.id, left.sql]).to.deep.equal(['not_published', 'alter publication "pub" add table only "public"."t"']);
    const whole = { ...LISTED, publishesOld: true };
    expect(isPublishable(KEYLESS, whole)).to.equal(false);
    const kept = checkTable({ ...whole, ours: false }, { ...KEYLESS, published: false }, false)!;
    expect(kept.sql).to.equal(
      `alter publication "pub" set (publish = 'insert'); alter publication "pub" add table only "public"."t"`,
    );
    const breaks = checkTable(whole, KEYLESS, false)!;
    expect([breaks.id, breaks.status, breaks.sql]).to.deep.equal([
      ...['breaks_updates', 'error', `alter publication "pub" set (publish = 'insert')`],
    ]);
  });

  it('ask nothing of replica identities', () => {
    for (const table of [
      { identity: 'index', covers_key: false },
      { partitioned: true, partly_full: true, partial_stores: ['a.b'] },
      { key_uncarried: ['a'] },
    ] as const)
      expect(checkTable({ ...LISTED, viaRoot: false }, { ...TABLE, ...table }, false)).to.equal(undefined);
  });

  it('of a list that is to be a publication again, say whose updates would fail, before they do', () => {
    const before = { ...LISTED, byTriggers: false };
    expect(checkTable(before, KEYLESS, false)!).to.include({ id: 'breaks_updates', status: 'warning' });
    const incomplete = checkPublication(before, 'shop')[0]!;
    expect(incomplete.summary).to.match(
      /once it publishes them, those of a table in it that has no replica identity fail$/,
    );
  });

  it('let a list have our tables, whose deletes it cannot break', () => {
    const ours = { ...LISTED, publishesOurs: true };
    expect(checkPublication(ours, 'shop')).to.deep.equal([]);
    expect(ids(checkPublication({ ...ours, publishesOld: true }, 'shop'))).to.deep.equal([
      ['publishes_messages', 'error'],
    ]);
    const named = { ...PUBLICATION, publishesOurs: true, ourSchemas: ['millrace_private'] };
    expect(checkPublication(named, 'shop')[0]!.sql).to.equal(
      'alter publication "pub" drop tables in schema millrace_private',
    );
    expect(plannedPublication('p', { version: 180000, isOurs: true, byTriggers: true })).to.include({
      ...{ complete: false, publishesOld: false, byTriggers: true },
    });
  });

  const schemas: [string | undefined, Partial<TriggerFacts>][] = [
    [undefined, { schemaVersion: null }],
    ['capture_schema_missing', { schemaVersion: null, mayMakeSchema: false }],
    [undefined, { schemaVersion: 0 }],
    ['capture_schema_foreign', { schemaVersion: 0, foreign: { owner: 'a', role: 'b', sql: 'alter' } }],
    ['capture_schema_newer', { schemaVersion: 2 }],
  ];
  for (const [id, facts] of schemas)
    it(`say ${id ?? 'nothing'} of the schema ${JSON.stringify(facts)}`, () => {
      const found = checkTriggers({ ...FACTS, ...facts }, READ);
      expect(ids(found)).to.deep.equal(id === undefined ? [] : [[id, 'error']]);
      for (const one of found) expect(repairText(one)).to.not.equal('');
    });

  const tables: [string, string, Partial<TriggeredTable>][] = [
    ['trigger_missing', 'warning', { hasTriggers: false }],
    ['trigger_missing', 'error', { hasTriggers: false, mayMake: false }],
    ['trigger_disabled', 'error', { enabled: 'disabled' }],
    ['trigger_disabled', 'error', { enabled: 'replica' }],
    ['trigger_disabled', 'warning', { enabled: 'origin' }],
  ];
  for (const [id, status, table] of tables)
    it(`say of a table: ${id} ${JSON.stringify(table)}`, () => {
      const found = checkTriggered({ ...NOTED, ...table }, LISTED)!;
      expect([found.id, found.status, found.sql]).to.deep.equal([id, status, 'create trigger']);
    });

  it('refuse lists of columns and row filters, which triggers do not know', () => {
    const found = checkTriggered({ ...NOTED, hasLists: true, hasTriggers: false }, LISTED)!;
    expect([found.id, found.status, found.sql]).to.deep.equal([
      ...['trigger_lists', 'error'],
      'alter publication "pub" drop table only "public"."t""t"; alter publication "pub" add table only "public"."t""t"',
    ]);
  });

  it('say that nobody reads what is noted, or too slowly', () => {
    expect(ids(checkTriggers(FACTS, { ...READ, isRead: false }))).to.deep.equal([['unread', 'warning']]);
    const bare = { ...FACTS, tables: new Map([[1, { ...NOTED, hasTriggers: false }]]) };
    expect(checkTriggers(bare, { ...READ, isRead: false })).to.deep.equal([]);
    const large = checkTriggers({ ...FACTS, notedBytes: 3 * 1024 ** 3, oldestUnreadSeconds: null }, READ);
    expect(large.map(({ summary }) => summary)).to.deep.equal([
      'the changes that triggers have noted in millrace_capture take 3072 MB of the source',
    ]);
    const late = checkTriggers({ ...FACTS, oldestUnreadSeconds: 3_600 }, READ);
    expect(late[0]!.summary).to.match(/^the changes .* take 0 MB .*, and the oldest that was not read is of 1 h ago$/);
  });

  it('say which slot of before keeps WAL, and that backfills may find no connection', () => {
    expect(ids(checkLeftSlots(['millrace']))).to.deep.equal([['slot_former', 'warning']]);
    const facts = {
      ...{ max_slots: 0, slots: 0, idle_slots: [], max_senders: 0, senders: 0, max_connections: 20, failover: null },
    };
    expect(ids(checkConnections({ facts, isRead: true, room: 1 }))).to.deep.equal([['connections_short', 'warning']]);
    expect(checkConnections({ facts, isRead: true, room: 2 })).to.deep.equal([]);
  });
});
