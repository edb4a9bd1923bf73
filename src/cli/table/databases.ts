/** Commands of source databases. */
import type { Group } from './command.ts';
import { LIST_FIELDS } from './list-fields.ts';
import { at, rowsOf, tellRows, tellThing, textAt } from './tell.ts';

const COLUMNS = {
  name: 'name',
  host: 'hostname',
  database: 'database',
  state: 'state.state',
  health: 'health.status',
  since: 'state.since',
  reason: 'state.reason',
  by: 'managed_by',
};

export const DATABASES: Group = {
  name: 'database',
  plural: 'databases',
  about: 'manage source databases',
  commands: [
    {
      words: 'list',
      about: 'list source databases, and how their capture is',
      route: 'GET /api/postgres_databases',
      fields: LIST_FIELDS,
      examples: ['list'],
      tell: (answer) => tellRows(rowsOf(answer), COLUMNS),
    },
    {
      words: 'show <database>',
      about: 'show a source database, as it is declared and how its capture is',
      route: 'GET /api/postgres_databases/:database',
      examples: ['show shop'],
      tell: tellThing,
    },
    {
      words: 'checks <database>',
      about: 'look at its server, slot, publication and tables now; exit code 2: something is wrong',
      route: 'GET /api/postgres_databases/:database/checks',
      examples: ['checks shop'],
      tell: (answer) => checksText(answer),
      exitCode: (answer) => (at(answer, 'ok') === false ? 2 : 0),
    },
    {
      words: 'accept-gap <database>',
      about: 'capture it again after a gap, and send nothing of what was missed',
      route: 'POST /api/postgres_databases/:database/accept_gap',
      fields: [{ flags: '--force', about: 'also where nothing is known to be missing', field: 'force' }],
      examples: ['accept-gap shop'],
      tell: (answer) => `Accepted: its changes count from epoch ${textAt(answer, 'epoch')} on.`,
    },
  ],
};

function checksText(answer: unknown): string {
  const checks = at(answer, 'checks');
  const rows = Array.isArray(checks) ? checks : [];
  return tellRows(rows, { status: 'status', id: 'id', '': 'summary', remedy: 'remedy', sql: 'sql' });
}
