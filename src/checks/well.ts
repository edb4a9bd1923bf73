/** What was looked at in a source and is as it should be, in the order in which a connection gets there: for a person who connects one. */
import type { CapacityFacts } from './capacity.ts';
import { type Finding, notice, passed } from './finding.ts';
import type { SourceFacts } from './server.ts';

export interface WellFacts {
  address: { host: string; port: number };
  /** The protocol of the connection; null: it is not encrypted. */
  tls: string | null;
  source: SourceFacts;
  /** Null: it is not to be captured. */
  capture: (ByReplication | ByTriggers) | null;
}

interface Listed {
  publication: { name: string; isThere: boolean };
  /** How many there are, and of how many the changes come, or will. */
  tables: { all: number; come: number };
}

interface ByReplication extends Listed {
  capacity: CapacityFacts;
  /** As they are declared. */
  slot: { name: string; isThere: boolean };
}

interface ByTriggers extends Listed {
  /** Of them those that have their triggers. */
  triggers: { hasSchema: boolean; tables: number };
}

/** `found`: what is wrong; of that nothing is said. */
export function wellOf(found: readonly Finding[], { address, tls, source, capture }: WellFacts): Finding[] {
  const wrong = new Set(found.filter(({ status }) => status !== 'ok').map(({ id }) => id));
  const unless = (ids: readonly string[], finding: Finding): Finding[] =>
    ids.some((id) => wrong.has(id)) ? [] : [finding];
  const at = `${address.host}, port ${address.port}`;
  return [
    passed('reached', `${at}: logged in as ${source.roleName}`),
    tls === null
      ? notice('not_encrypted', 'the connection is not encrypted', {
          ...{ remedy: 'Set `ssl: true` where the network between is not yours.', sql: null, runOn: null },
        })
      : passed('encrypted', `the connection is encrypted with ${tls}`),
    ...unless(['too_old', 'standby'], passed('version', `Postgres ${Math.floor(source.version / 10_000)}, a primary`)),
    ...(capture === null ? [] : captureOf(source, capture).flatMap(([ids, finding]) => unless(ids, finding))),
  ];
}

type Said = readonly [ids: readonly string[], finding: Finding];

const madeOr = ({ isThere }: { isThere: boolean }): string => (isThere ? 'is there' : 'is made when capture begins');

function captureOf(source: SourceFacts, capture: NonNullable<WellFacts['capture']>): Said[] {
  return [...('triggers' in capture ? triggersOf(capture) : replicationOf(source, capture)), ...listedOf(capture)];
}

function triggersOf({ triggers: { hasSchema, tables } }: ByTriggers): Said[] {
  return [
    [
      ['capture_schema_missing', 'capture_schema_foreign', 'capture_schema_newer'],
      passed('capture_schema', `schema millrace_capture ${madeOr({ isThere: hasSchema })}`),
    ],
    [
      ['trigger_missing', 'trigger_disabled', 'trigger_lists'],
      passed('triggers', `triggers note the changes of ${tables === 1 ? 'one table' : `${tables} tables`}`),
    ],
  ];
}

function replicationOf(source: SourceFacts, { capacity, slot }: ByReplication): Said[] {
  return [
    [['wal_level'], passed('wal_level', `wal_level is ${source.walLevel}`)],
    [['may_not_replicate'], passed('may_replicate', `role ${source.roleName} may replicate`)],
    [['output_plugin'], passed('output_plugin', 'the server decodes with pgoutput')],
    [['slots_full'], passed('slots', `${capacity.slots} of ${capacity.max_slots} replication slots are taken`)],
    [['walsenders_full'], passed('walsenders', `${capacity.senders} of ${capacity.max_senders} WAL senders are taken`)],
    [SLOT_IDS, passed('slot', `replication slot ${slot.name} ${madeOr(slot)}`)],
  ];
}

function listedOf({ publication, tables }: Listed): Said[] {
  return [
    [PUBLICATION_IDS, passed('publication', `publication ${publication.name} ${madeOr(publication)}`)],
    [
      [],
      tables.come < tables.all
        ? notice('tables', `the changes of ${tables.come} of ${tables.all} tables are captured`, {
            ...{
              remedy: 'The list of tables says why the others are not, and what to run.',
              sql: null,
              runOn: null,
            },
          })
        : passed(
            'tables',
            `the changes of ${tables.all === 1 ? 'its one table' : `all ${tables.all} tables`} are captured`,
          ),
    ],
  ];
}

const SLOT_IDS = ['slot_missing', 'slot_gone', 'slot_foreign', 'slot_lost', 'slot_moved', 'slot_left', 'another_slot'];
const PUBLICATION_IDS = [
  ...['publication_missing', 'publication_gone', 'publication_renewed', 'publication_incomplete'],
  ...['publication_truncates', 'publishes_messages'],
];
