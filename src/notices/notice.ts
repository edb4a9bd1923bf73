/** What an operator should know of a sink, or of a table that it takes in: one text for each code and table. */

export interface Notice {
  code: string;
  /** `schema.table`, or of a change table; empty: the sink as a whole. */
  table: string;
  message: string;
  /** What to run, or to do. */
  remedy: string | null;
  /** How the sink is brought up to date comes behind the remedy, or instead of it. */
  catchUp?: boolean;
}

export interface SinkNotice extends Notice {
  sinkNo: number;
}

/** As sql/notices reads them: of several with one code of one table, which may be what two tables were called, the last one. */
export function noticesAsJson(notices: readonly (Notice & { sinkNo?: number })[]): string {
  const last = new Map(notices.map((one) => [JSON.stringify([one.sinkNo, one.code, one.table]), one]));
  return JSON.stringify(
    [...last.values()].map(({ sinkNo, code, table, message, remedy, catchUp = false }) => ({
      ...{ sink_no: sinkNo ?? null, code, table_name: table, message, remedy, catch_up: catchUp },
    })),
  );
}
