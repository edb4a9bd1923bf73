/** A change table: a row for each change, in a declared database. Declared as a change retention. */
import type { SinkKind } from '../contract.ts';
import { leftBehind } from './policies/left-behind.ts';
import type { ChangeTableDestination } from './section.ts';

export const changeTable: SinkKind<ChangeTableDestination> = {
  type: 'change_table',
  names: ['change_table'],
  title: 'a change table',
  traits: { receivable: false, replaces: false, order: 'commit', takesRows: false, readable: false },
  lanes: 1,
  list: { key: 'change_retentions', entry: 'change retention' },
  section: async () => (await import('./section.ts')).changeTableSection,
  open: async (entry, given) => await (await import('./open.ts')).open(entry, given),
  look: async (entry, given, signal) => await (await import('./look.ts')).look(entry, given, signal),
  jobs: async (given) => (await import('./policies/expire.ts')).openExpiries(given),
  leavesBehind: (before, after) => leftBehind(before, after),
  writesInto: ({ database, table_schema, table_name }) => ({ database, schema: table_schema, name: table_name }),
};
