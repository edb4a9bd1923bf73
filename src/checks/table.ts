/**
 * What is wrong with a table that is, or should be, published: decided from facts alone. Some faults break the user's own
 * statements (55000, 42P10), so such a table is never put into a publication of ours, and of another's it is said.
 * https://www.postgresql.org/docs/current/logical-replication-publication.html
 */
import type { PublishedTable } from '../model/published-table.ts';
import { isMisspelt, quoteIdentifier, quoteTable } from '../model/quote.ts';
import { byHand, type Finding, fault, inSource, type Repair, warning } from './finding.ts';
import { type PublicationFacts, plannedFirst } from './publication.ts';

/**
 * May it be published by us? Neither its owner's updates would fail, nor would its changes lack their key. A partitioned
 * table without a key will not do: each partition that is made later has no replica identity, and the next update of it fails.
 * A list for triggers, which publishes inserts alone, takes any: no update needs an identity for it, and triggers see whole rows.
 */
export function isPublishable(
  table: PublishedTable,
  publication?: Pick<PublicationFacts, 'byTriggers' | 'publishesOld'>,
): boolean {
  if (publication?.byTriggers && !publication.publishesOld) return true;
  if (table.partitioned && !table.usable_key) return false;
  return table.covers_key && !(table.some_full && table.virtual_columns);
}

/** `detached`: it stands in place of a published table that was dropped. */
export function checkTable(
  publication: PublicationFacts,
  table: PublishedTable,
  detached: boolean,
): Finding | undefined {
  const name = `${table.schema}.${table.name}`;
  const alter = `alter publication ${quoteIdentifier(publication.name)}`;
  // With "only" an inheriting table is left to speak for itself.
  const add = `${plannedFirst(publication)}${alter} add table only ${quoteTable(table)}`;
  if (!table.published) {
    if (!isPublishable(table, publication))
      return warning(
        'not_published',
        `${name}: ${whyNot(table)}`,
        repairOrInserts(publication, table, comesByItself(publication, table) ? [] : [add]),
      );
    if (isMisspelt(table.schema) || isMisspelt(table.name))
      return warning(
        'not_published',
        `${name}: its name has bytes that are no UTF-8, which no statement of Millrace can write`,
        byHand(
          `Rename it, or run, as a client of its encoding: ${alter} add table only <schema>.<name>. Then its changes come.`,
        ),
      );
    if (detached)
      return fault(
        'table_detached',
        `${name} was dropped and created again, and the publication does not list it: its changes are not captured`,
        inSource(add),
      );
    return warning('not_published', `${name}: the publication does not list it`, inSource(add));
  }
  const broken = whyBroken(publication, table, { alter, add });
  if (broken && publication.publishesOld)
    return fault(
      'breaks_updates',
      `${name}: its own updates and deletes fail, because it is published and ${broken.why}`,
      publication.byTriggers ? insertsAlone(publication) : broken.repair,
    );
  if (publication.byTriggers) return undefined;
  if (broken)
    return warning(
      'breaks_updates',
      `${name}: its own updates and deletes will fail as soon as the publication publishes them, because ${broken.why}`,
      broken.repair,
    );
  return checkMessages(publication, table, { name, alter, add });
}

/** One of ours takes it in as soon as it can. */
const comesByItself = ({ ours }: PublicationFacts, table: PublishedTable): boolean =>
  ours && table.mine && table.schema === 'public' && !isKeyless(table);

/** Triggers ask nothing of what a publication publishes. */
const insertsAlone = ({ name }: PublicationFacts, ...also: string[]): Repair =>
  inSource(
    [`alter publication ${quoteIdentifier(name)} set (publish = 'insert')`, ...also].join('; '),
    'capture by triggers needs no more of it, and no update can fail for it then',
  );

const repairOrInserts = (publication: PublicationFacts, table: PublishedTable, also: readonly string[]): Repair =>
  publication.byTriggers ? insertsAlone(publication, ...also) : repair(publication, table, ...also);

/** It is published and breaks nothing: do its messages say what they should? */
function checkMessages(
  publication: PublicationFacts,
  table: PublishedTable,
  { name, alter, add }: Record<'name' | 'alter' | 'add', string>,
): Finding | undefined {
  const doubtful: typeof warning = (id, summary, repair) => warning(id, `${name}: ${summary}`, repair);
  if (table.unlisted_stores.length > 0)
    return doubtful(
      'not_published',
      `changes in ${table.unlisted_stores.join(', ')} are not captured: the publication lists other partitions alone`,
      isPublishable(table) ? inSource(add) : repair(publication, table, add),
    );
  if (table.unlogged.length > 0)
    return doubtful(
      'not_published',
      `changes in ${table.unlogged.join(', ')} are not captured: an unlogged partition tells nobody of its changes`,
      inSource(table.unlogged.map((part) => `alter table ${part} set logged`).join('; ')),
    );
  if (table.foreign_parts.length > 0)
    return doubtful(
      'not_published',
      `changes in ${table.foreign_parts.join(', ')} are not captured: a foreign partition has its rows in another database`,
      byHand('Capture them in that database, or detach the partition.'),
    );
  if (table.has_key && !table.covers_key)
    return doubtful(
      'identity_misses_key',
      'its replica identity does not cover the primary key: deletes and key changes do not tell which row, and are parked',
      repair(publication, table),
    );
  if (table.key_uncarried.length > 0)
    return doubtful(
      'identity_misses_key',
      `generated columns of its primary key are computed from ${table.key_uncarried.join(', ')}, which its replica identity does not have: deletes and key changes do not tell which row, and are parked`,
      inSource(identities(table.partial_stores, 'full')),
    );
  if (table.partitioned && !(publication.viaRoot && table.listed_itself)) {
    const whole = publication.viaRoot ? [] : [`${alter} set (publish_via_partition_root = true)`];
    return doubtful(
      'partitions_apart',
      'its changes come under the names of its partitions',
      inSource([...whole, ...(table.listed_itself ? [] : [add])].join('; ')),
    );
  }
  if (table.partly_full)
    return doubtful(
      'partitions_not_full',
      `its replica identity is full, but partitions do not inherit that: old values in ${table.partial_stores.join(', ')} are not known`,
      inSource(identities(table.partial_stores, 'full')),
    );
  return undefined;
}

/**
 * Generated columns that Postgres does not send and that are not computed: the stream, a backfill and verify leave them out
 * alike, so that they agree. Virtual ones never come, stored ones from 18 on when the publication says so; before, they are
 * computed where that needs nothing but Postgres' own functions.
 */
export function generatedLeftOut(publication: PublicationFacts, table: PublishedTable): Finding | undefined {
  const { stored_left_out: stored, virtual_left_out: virtual } = table;
  const columns = [...stored, ...virtual];
  if (!table.published || columns.length === 0) return undefined;
  const sql =
    stored.length > 0 && publication.knowsGenerated && !table.some_columns
      ? `alter publication ${quoteIdentifier(publication.name)} set (publish_generated_columns = stored)`
      : undefined;
  const unsent = sql === undefined ? columns : virtual;
  const words = unsent.length === 0 ? '' : howElse(publication, table, unsent);
  const [what, them] = columns.length === 1 ? ['generated column', 'it'] : ['generated columns', 'them'];
  const because = table.left_out_because.join('; ');
  const message = [
    `${table.schema}.${table.name}: its messages do not have the ${what} ${columns.join(', ')}, because Postgres does not send ${them}`,
    because === '' ? '' : ` and Millrace does not compute ${them} (${because})`,
    table.key_left_out.length === 0
      ? ''
      : `; its primary key needs ${table.key_left_out.join(', ')}, so its messages have no key and no order, and a search index leaves it out`,
  ];
  const repaired =
    sql === undefined
      ? byHand(words)
      : inSource(sql, `then backfill the table, which sends what its rows hold now. ${words}`.trim());
  return warning('generated_left_out', message.join(''), repaired);
}

/** How a sink gets at what these columns hold, when no option of the publication sends them. */
function howElse(publication: PublicationFacts, table: PublishedTable, unsent: readonly string[]): string {
  const names = unsent.join(', ');
  const orElse = 'compute the value in a transform, or keep it in an ordinary column that a trigger fills';
  if (!publication.knowsGenerated && table.some_columns)
    return `For ${names}: publish the table without a list of columns; or ${orElse}.`;
  if (!publication.knowsGenerated)
    return `Postgres sends stored generated columns from version 18 on. Until then, for ${names}: write the expression with Postgres' own functions, operators and types alone; or ${orElse}.`;
  if (table.virtual_left_out.length === unsent.length)
    return `Create ${names} again as stored, for Postgres does not send virtual columns; or ${orElse}.`;
  return `For ${names}: add what is stored to the publication's list of columns for this table; or ${orElse}.`;
}

function whyBroken(
  publication: PublicationFacts,
  table: PublishedTable,
  { alter, add }: Record<'alter' | 'add', string>,
): { why: string; repair: Repair } | undefined {
  const again = inSource(`${alter} drop table only ${quoteTable(table)}; ${add}`);
  const withGenerated = inSource(`${alter} set (publish_generated_columns = stored)`);
  if (!table.has_identity)
    return {
      why: table.partitioned ? `${table.weak.join(', ')} has no replica identity` : 'has no replica identity',
      repair: repair(publication, table),
    };
  if (table.some_full) {
    if (table.some_columns) return { why: 'its replica identity is full, with a list of columns', repair: again };
    if (table.virtual_columns)
      return {
        why: 'its replica identity, full, has virtual generated columns',
        repair: repair(publication, table),
      };
    if (table.stored_columns && publication.knowsGenerated && publication.generated !== 's')
      return {
        why: 'its replica identity, full, has generated columns that are not published',
        repair: withGenerated,
      };
  }
  if (table.identity_unlisted && (table.some_columns || publication.knowsGenerated))
    return {
      why: table.some_columns
        ? 'the list of columns leaves out a column of its replica identity'
        : 'a generated column of its replica identity is not published',
      repair: table.some_columns ? again : withGenerated,
    };
  if (table.identity_unfiltered)
    return { why: 'its row filter names a column that is not of its replica identity', repair: again };
  return undefined;
}

function whyNot(table: PublishedTable): string {
  if (table.some_full && table.virtual_columns)
    return 'once it is published, its updates and deletes would fail: its replica identity, full, has virtual generated columns';
  if (!table.has_identity && table.has_key && !table.usable_key)
    return 'once it is published, its updates and deletes would fail: its primary key is deferrable, and no replica identity';
  if (!table.has_identity && !table.partitioned)
    return 'it has no replica identity: once it is published, its updates and deletes would fail';
  if (isKeyless(table))
    return `it can have no primary key, for ${table.foreign_parts.join(', ')} is a foreign table: published, updates of each new partition would fail, which has no replica identity`;
  if (table.partitioned && !table.has_key)
    return 'it has no primary key: published, updates of each new partition would fail, which has no replica identity';
  if (!table.has_identity)
    return `${table.weak.join(', ')} has no replica identity: once it is published, its updates and deletes would fail`;
  return 'its replica identity does not cover its primary key';
}

/** What gives each of its tables a replica identity, and breaks nothing; then, what else is to be run. */
function repair(publication: PublicationFacts, table: PublishedTable, ...also: string[]): Repair {
  const { sql, remedy } = identityFor(publication, table);
  if (sql === null) return byHand([remedy, ...also].join('; '));
  return inSource([sql, ...also].filter(Boolean).join('; '), remedy);
}

function identityFor(publication: PublicationFacts, table: PublishedTable): Repair {
  const isFullSafe =
    !table.virtual_columns &&
    !table.some_columns &&
    !(table.stored_columns && publication.knowsGenerated && publication.generated !== 's');
  // Partitions to come have the default.
  const isFullEnough = isFullSafe && (!table.partitioned || table.published);
  const own = [quoteTable(table)];
  const weak = table.weak.length > 0 ? table.weak : own;
  const unsafe = isFullSafe ? weak : [...new Set([...table.full_stores, ...table.weak])];
  const byKey = identities(unsafe.length > 0 ? unsafe : own, 'default');
  if (table.usable_key) return inSource(byKey);
  if (table.has_key && isFullEnough && !table.partitioned) return inSource(identities(weak, 'full'));
  if (table.has_key)
    return byHand(`Create the primary key of ${quoteTable(table)} again, not deferrable; then: ${byKey}`);
  if (isKeyless(table)) return identityWithForeign(table, isFullSafe);
  // Which columns, nobody here knows.
  const addKey = `alter table ${quoteTable(table)} add primary key (...)`;
  if (!isFullEnough) return byHand(isFullSafe ? addKey : `${addKey}; ${byKey}`);
  return inSource(
    identities(weak, 'full'),
    `${table.partitioned ? 'for each partition to come as well, ' : ''}or: ${addKey}`,
  );
}

/** Postgres makes no index of rows that are in another database. */
const isKeyless = ({ has_key, foreign_parts }: PublishedTable): boolean => !has_key && foreign_parts.length > 0;

function identityWithForeign(table: PublishedTable, isFullSafe: boolean): Repair {
  const detach = table.foreign_parts.map((part) => `alter table ${quoteTable(table)} detach partition ${part}`);
  if (!isFullSafe) return byHand(`${detach.join('; ')}; alter table ${quoteTable(table)} add primary key (...)`);
  return inSource(identities(table.partial_stores, 'full'), 'for each partition to come as well');
}

const identities = (names: readonly string[], identity: 'default' | 'full'): string =>
  names.map((name) => `alter table ${name} replica identity ${identity}`).join('; ');
