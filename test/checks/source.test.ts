import { expect } from 'chai';
import { checkContinuity } from '../../src/checks/continuity.ts';
import { repairText } from '../../src/checks/finding.ts';
import { checkPublication, type PublicationFacts } from '../../src/checks/publication.ts';
import { checkServer, type SourceFacts } from '../../src/checks/server.ts';
import { checkBeginning, checkSlot, type SlotFacts } from '../../src/checks/slot.ts';
import { checkTable, isPublishable } from '../../src/checks/table.ts';
import type { PublishedTable } from '../../src/model/published-table.ts';
import { branchOf } from '../../src/source/timeline.ts';
import { PUBLICATION, SOURCE, TABLE } from '../support/fixtures/source-facts.ts';

const SLOT: SlotFacts = {
  plugin: 'pgoutput',
  here: true,
  active_pid: null,
  active_application: null,
  confirmed_flush_lsn: '0/2000',
  wal_status: 'reserved',
  invalidation_reason: null,
  kept_bytes: 1_000,
  oldest_prepared: null,
  standbys: [],
};
const checkHealth = ({
  publication,
  ...now
}: {
  source: SourceFacts;
  slot: SlotFacts;
  publication: PublicationFacts;
}) => [
  ...checkSlot({ ...now, name: EXPECTED.slot, leftSlots: [] }),
  ...checkPublication(publication, EXPECTED.database),
];
const EXPECTED = { database: "sh'op", slot: 'slot', publication: 'pub' };
const STORED = {
  epoch: 1,
  commitLsn: 0x2000n,
  commitIdx: 0,
  confirmedLsn: 0x2000n,
  nextId: 1,
  formerSlots: [],
  left: undefined,
  publicationBefore: 9,
  identity: { systemIdentifier: '7', timeline: 1, databaseOid: 5, slotName: 'slot', publicationOid: 9 },
};

describe('checks of a source', () => {
  it('find nothing when all is well', () => {
    const now = { source: SOURCE, slot: SLOT, publication: PUBLICATION };
    expect(checkServer(SOURCE)).to.deep.equal([]);
    expect(checkContinuity(STORED, now, EXPECTED)).to.deep.equal([]);
    expect(checkHealth(now)).to.deep.equal([]);
    expect(checkTable(PUBLICATION, TABLE, false)).to.equal(undefined);
  });

  it('let a promoted source go on when it has all that was captured, and the slot', () => {
    const promoted = { source: { ...SOURCE, timeline: 2 }, slot: SLOT, publication: PUBLICATION };
    const codes = (now: Parameters<typeof checkContinuity>[1], stored = STORED) =>
      checkContinuity(stored, now, EXPECTED).map((one) => one.id);
    expect(codes({ ...promoted, branch: 0x2001n })).to.deep.equal([]);
    expect(codes(promoted)).to.deep.equal(['another_timeline']);
    expect(codes({ ...promoted, branch: 0x2000n })).to.deep.equal(['another_timeline']);
    expect(codes({ ...promoted, branch: 0x2001n }, { ...STORED, confirmedLsn: 0x2002n })).to.deep.equal([
      'another_timeline',
    ]);
    expect(codes({ ...promoted, slot: undefined, branch: 0x2001n })).to.deep.equal(['slot_left']);
    expect(codes({ ...promoted, slot: { ...SLOT, confirmed_flush_lsn: '0/2001' }, branch: 0x2001n })).to.deep.equal([
      'slot_moved',
    ]);
  });

  it("find in a timeline's history where an older one was left", () => {
    const history = '1\t0/5000000\tno recovery target specified\n\n2\tA/1F\tno recovery target specified\n';
    expect(branchOf(history, 1)).to.equal(0x5000000n);
    expect(branchOf(history, 2)).to.equal(0xa0000001fn);
    expect(branchOf(history, 3)).to.equal(undefined);
    expect(branchOf('undefined', 1)).to.equal(undefined);
  });

  const servers: [Partial<SourceFacts>, string, string][] = [
    [{ version: 130011 }, 'too_old', 'Upgrade the source.'],
    [{ inRecovery: true, walLsn: null }, 'standby', 'Set hostname to the address of its primary.'],
    [
      { walLevel: 'replica' },
      'wal_level',
      "alter system set wal_level = 'logical'; -- then restart the server; or, where the server does not allow that, declare `capture: triggers` for this database",
    ],
    [
      { mayReplicate: false },
      'may_not_replicate',
      'alter role "mill""race" replication; -- on Amazon RDS: grant rds_replication to "mill""race"; or, where the server does not allow that, declare `capture: triggers` for this database',
    ],
    [
      { outputPluginLibraries: 'wal2json, decoderbufs' },
      'output_plugin',
      "alter system set output_plugin_libraries = 'wal2json, decoderbufs, pgoutput'; select pg_reload_conf()",
    ],
  ];
  for (const [change, code, remedy] of servers) {
    it(`refuse a server: ${code}`, () => {
      const found = checkServer({ ...SOURCE, ...change });
      expect(found.map((one) => [one.status, one.id, repairText(one)])).to.deep.equal([['error', code, remedy]]);
    });
  }
  it('accept a server that lists pgoutput', () => {
    expect(checkServer({ ...SOURCE, outputPluginLibraries: 'wal2json,"pgoutput"' })).to.deep.equal([]);
  });

  const gaps: [string, Partial<SourceFacts>, Partial<SlotFacts> | null, Partial<PublicationFacts> | null][] = [
    ['another_source', { systemIdentifier: '8' }, {}, {}],
    ['another_source', { databaseOid: 6 }, {}, {}],
    ['another_timeline', { timeline: 2 }, {}, {}],
    ['restored', { walLsn: '0/1FFF' }, {}, {}],
    ['slot_gone', {}, null, {}],
    ['slot_foreign', {}, { here: false }, {}],
    ['slot_foreign', {}, { plugin: 'wal2json' }, {}],
    ['slot_lost', {}, { wal_status: 'lost' }, {}],
    ['slot_moved', {}, { confirmed_flush_lsn: '0/2001' }, {}],
    ['publication_gone', {}, {}, null],
    ['publication_renewed', {}, {}, { oid: 10 }],
  ];
  for (const [code, source, slot, publication] of gaps) {
    it(`call it a gap: ${code} ${JSON.stringify([source, slot, publication])}`, () => {
      const now = {
        source: { ...SOURCE, ...source },
        slot: slot === null ? undefined : { ...SLOT, ...slot },
        publication: publication === null ? undefined : { ...PUBLICATION, ...publication },
      };
      const found = checkContinuity(STORED, now, EXPECTED);
      expect(found.map((one) => [one.status, one.id])).to.deep.equal([['error', code]]);
      expect(repairText(found[0]!)).to.equal(
        "select millrace.resync('sh''op'); -- or, to be shown how far it is: bin/millrace resync 'sh'\\''op'",
      );
    });
  }
  const lost: [string | null, string, RegExp][] = [
    [null, 'the server removed WAL that it needed', /bin\/millrace resync 'sh'\\''op'$/],
    ['wal_removed', 'the server removed WAL that it needed', /bin\/millrace resync 'sh'\\''op'$/],
    [
      'idle_timeout',
      'nobody read it for as long as idle_replication_slot_timeout allows',
      /alter system set idle_replication_slot_timeout = 0; select pg_reload_conf\(\)$/,
    ],
    [
      'rows_removed',
      'the server was a standby, and rows of catalogs that it needed were removed there',
      /alter system set hot_standby_feedback = on; select pg_reload_conf\(\)$/,
    ],
    ['wal_level_insufficient', 'wal_level was lowered below logical for a while', /leave wal_level = logical/],
    [
      'conflict',
      'the server was a standby, and its primary removed rows of catalogs that it needed, or lowered wal_level',
      /hot_standby_feedback = on/,
    ],
    ['something_new', 'the server invalidated it (something_new)', /bin\/millrace resync 'sh'\\''op'$/],
  ];
  for (const [reason, why, remedy] of lost) {
    it(`say why a slot is lost: ${reason}`, () => {
      const slot = { ...SLOT, wal_status: 'lost', invalidation_reason: reason };
      const [found] = checkContinuity(STORED, { source: SOURCE, slot, publication: PUBLICATION }, EXPECTED);
      expect(found!.summary).to.equal(`replication slot slot is lost: ${why}`);
      expect(repairText(found!))
        .to.match(/^select millrace\.resync\('sh''op'\); -- or, /)
        .and.match(remedy);
      const began = { version: 180000, gapAccepted: false };
      const inTheWay = checkBeginning({ name: 'slot', create_if_not_exists: true }, slot, began);
      expect(inTheWay?.summary).to.equal(`replication slot slot is lost: ${why}`);
      expect(inTheWay?.sql).to.match(/^select pg_drop_replication_slot\('slot'\); select from pg_create_logical/);
    });
  }
  it('take a slot that is behind what was recorded for the usual case: confirmations are lost in a crash', () => {
    const now = { source: SOURCE, slot: { ...SLOT, confirmed_flush_lsn: '0/1000' }, publication: PUBLICATION };
    expect(checkContinuity(STORED, now, EXPECTED)).to.deep.equal([]);
  });

  const healths: [string, string, Partial<SourceFacts>, Partial<SlotFacts>, Partial<PublicationFacts>][] = [
    ['publication_incomplete', 'error', {}, {}, { complete: false }],
    ['publication_incomplete', 'error', {}, {}, { complete: false, truncates: false }],
    ['publication_truncates', 'warning', {}, {}, { truncates: false }],
    ['publishes_messages', 'error', {}, {}, { publishesOurs: true, allTables: true }],
    ['publishes_messages', 'error', {}, {}, { publishesOurs: true, ourTables: ['millrace_private.m'] }],
    ['slot_unreserved', 'warning', {}, { wal_status: 'unreserved' }, {}],
    ['slot_waits', 'warning', {}, { standbys: [{ slot: 'away', isRead: false }] }, {}],
    ['slot_lag', 'warning', { keepBytes: 1_000_000 }, { kept_bytes: 500_000 }, {}],
    ['slot_lag', 'warning', {}, { kept_bytes: 11 * 1024 ** 3 }, {}],
  ];
  for (const [code, severity, source, slot, publication] of healths) {
    it(`say ${code} ${JSON.stringify([source, slot, publication])}`, () => {
      const now = {
        source: { ...SOURCE, ...source },
        slot: { ...SLOT, ...slot },
        publication: { ...PUBLICATION, ...publication },
      };
      const found = checkHealth(now);
      expect(found.map((one) => [one.status, one.id])).to.deep.equal([[severity, code]]);
      expect(repairText(found[0]!)).to.not.equal('');
    });
  }
  it('name the prepared transaction that WAL is kept for', () => {
    const slot = { ...SLOT, kept_bytes: 11 * 1024 ** 3, oldest_prepared: { gid: "it's", database: 'd' } };
    expect(repairText(checkHealth({ source: SOURCE, slot, publication: PUBLICATION })[0]!)).to.contain(
      "Or end the one that was prepared and is open: in database d, commit prepared 'it''s' or rollback prepared 'it''s'.",
    );
  });
  it('say how much is kept of how much', () => {
    const now = {
      source: { ...SOURCE, keepBytes: 100 * 1_048_576 },
      slot: { ...SLOT, kept_bytes: 60 * 1_048_576 },
      publication: PUBLICATION,
    };
    expect(checkHealth(now)[0]!.summary).to.equal(
      'the source keeps 60 MB of WAL for replication slot slot; at 100 MB (max_slot_wal_keep_size) the slot is lost',
    );
  });

  const tables: [string, Partial<PublishedTable>, Partial<PublicationFacts>, RegExp][] = [
    ['not_published', { published: false }, {}, /^alter publication "pub" add table only "public"."t"$/],
    [
      'not_published',
      { published: false, has_key: false, usable_key: false, has_identity: false, covers_key: false },
      {},
      /add primary key/,
    ],
    [
      'breaks_updates',
      { has_key: false, usable_key: false, has_identity: false, covers_key: false },
      {},
      /^alter table .* replica identity full; -- or: alter table .* add primary key/,
    ],
    [
      'breaks_updates',
      { has_key: false, usable_key: false, has_identity: false, covers_key: false, virtual_columns: true },
      {},
      /^alter table .* add primary key \(...\); alter table .* replica identity default$/,
    ],
    ['breaks_updates', { usable_key: false, has_identity: false, covers_key: false }, {}, /replica identity full$/],
    [
      'breaks_updates',
      { partitioned: true, has_identity: false, covers_key: false, weak: ['a.b', 'a.c'] },
      {},
      /^alter table a.b replica identity default; alter table a.c replica identity default$/,
    ],
    ['breaks_updates', { identity_unfiltered: true }, {}, /drop table .*; alter publication .* add table/],
    [
      'breaks_updates',
      { identity_unlisted: true, some_columns: false },
      { generated: 'n' },
      /publish_generated_columns/,
    ],
    [
      'breaks_updates',
      { has_identity: false, covers_key: false, identity: 'nothing' },
      {},
      /replica identity default$/,
    ],
    ['breaks_updates', { some_full: true, some_columns: true }, {}, /drop table .*; alter publication .* add table/],
    ['breaks_updates', { some_full: true, virtual_columns: true }, {}, /replica identity default$/],
    [
      'breaks_updates',
      { some_full: true, stored_columns: true },
      { generated: 'n' },
      /publish_generated_columns = stored/,
    ],
    [
      'breaks_updates',
      { identity_unlisted: true, some_columns: true },
      {},
      /drop table .*; alter publication .* add table/,
    ],
    ['identity_misses_key', { identity: 'index', covers_key: false }, {}, /replica identity default$/],
    [
      'partitions_not_full',
      { partitioned: true, partly_full: true, partial_stores: ['a.b'] },
      {},
      /^alter table a.b replica identity full$/,
    ],
    ['partitions_apart', { partitioned: true }, { viaRoot: false }, /publish_via_partition_root = true/],
  ];
  for (const [code, table, publication, remedy] of tables) {
    it(`say of a table: ${code} ${JSON.stringify([table, publication])}`, () => {
      const found = checkTable({ ...PUBLICATION, ...publication }, { ...TABLE, ...table }, false);
      expect(found?.id).to.equal(code);
      expect(found && repairText(found)).to.match(remedy);
    });
  }
  it('tell a table that was detached from one that was never published', () => {
    expect(checkTable(PUBLICATION, { ...TABLE, published: false }, true)?.id).to.equal('table_detached');
  });
  it('let generated columns be where a server cannot publish them', () => {
    const older = { ...PUBLICATION, knowsGenerated: false, generated: 'n' };
    expect(checkTable(older, { ...TABLE, some_full: true, stored_columns: true }, false)).to.equal(undefined);
    expect(isPublishable({ ...TABLE, some_full: true, virtual_columns: true })).to.equal(false);
    expect(isPublishable({ ...TABLE, partitioned: true, has_key: false, usable_key: false, some_full: true })).to.equal(
      false,
    );
  });
});
