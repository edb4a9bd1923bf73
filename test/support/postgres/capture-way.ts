/** With `MILLRACE_TEST_CAPTURE=triggers` the suites capture their sources by triggers, where a test does not say otherwise. */
export const BY_TRIGGERS = process.env.MILLRACE_TEST_CAPTURE === 'triggers';

/** Declares what has no place in capture by triggers: there it is pending, under this reason. */
export function ofReplication(why: string): {
  it(title: string, run: Mocha.AsyncFunc): void;
  describe(title: string, declare: (this: Mocha.Suite) => void): void;
} {
  const named = (title: string): string => `${title} (by replication alone: ${why})`;
  return {
    it: (title, run) => void (BY_TRIGGERS ? it(named(title)) : it(title, run)),
    describe: (title, declare) => void (BY_TRIGGERS ? describe.skip(named(title), declare) : describe(title, declare)),
  };
}

/** What is expected where both ways tell the truth in other words: triggers always have the whole old row. */
export const byWay = <Value>(of: { replication: Value; triggers: Value }): Value =>
  BY_TRIGGERS ? of.triggers : of.replication;

/** The call that puts a message among the changes of a transaction, up to its prefix. */
export const EMIT = byWay({ replication: 'pg_logical_emit_message(true, ', triggers: 'millrace_capture.message(' });

/** SQL that does. */
export const emitSql = (prefix: string, content: string): string => `select ${EMIT}'${prefix}', '${content}')`;

/** SQL that finds something once further changes of table $1 are captured. */
export const IS_CAPTURED = byWay({
  replication: 'select from pg_publication_tables where tablename = $1',
  triggers: `select from pg_trigger g join pg_class c on c.oid = g.tgrelid where c.relname = $1 and g.tgname like '!millrace%'`,
});

interface Asked {
  query(sql: string, values: string[]): Promise<{ rows: unknown[] }>;
}

/** The session of the source that capture reads by. */
export async function readerPid(source: Asked, slot: string): Promise<number | null> {
  const { rows } = await source.query(
    byWay({
      replication: 'select active_pid as pid from pg_replication_slots where slot_name = $1',
      triggers: `select l.pid from pg_locks l join pg_database d on d.oid = l.database
        where l.relation = to_regclass('millrace_capture.reader') and l.mode = 'ExclusiveLock' and d.datname = current_database() and $1 <> ''`,
    }),
    [slot],
  );
  const [reader] = rows as { pid: number | null }[];
  return reader?.pid ?? null;
}
