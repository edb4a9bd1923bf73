/** Why there is nothing of that name any more: who deleted it, or what it is called now. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client.ts';
import { JsonText } from '../api/json-text.ts';
import { usePerson } from '../api/person.ts';
import { useGet } from '../api/queries.ts';
import { Note } from './places.tsx';
import { Ago } from './time.tsx';

type Entry = Schemas['AuditEntry'];

interface GoneProps {
  /** As the audit log calls such a thing. */
  kind: 'sink' | 'database' | 'function' | 'change_retention';
  name: string;
  /** The page of all of them. */
  home: string;
  /** Of the query for it. */
  error: { status: number } | null;
}

/** So many of the newest changes of such things are looked at. */
const MOST = 200;

/** What the log does not tell, or somebody may not see, is not said. */
export function Gone({ kind, name, home, error }: GoneProps) {
  const { may } = usePerson();
  const asking = { enabled: may('admin') && error?.status === 404 };
  const deleted = useGet('/api/audit', { query: { subject: `${kind} ${name}`, limit: 1 } }, asking);
  const updated = useGet('/api/audit', { query: { subject: kind, action: 'update', limit: MOST } }, asking);
  if (error?.status !== 404) return null;
  const [last] = deleted.isPlaceholderData ? [] : (deleted.data?.data ?? []);
  const renamed = updated.data?.data.find((entry) => nameOf(entry.before) === name && nameOf(entry.after) !== name);
  const now = renamed === undefined ? null : nameOf(renamed.after);
  const to: string = `${home}/${encodeURIComponent(now ?? '')}`;
  if (renamed !== undefined && now !== null && (last === undefined || last.id < renamed.id))
    return (
      <Said>
        {renamed.actor} renamed it <Ago at={renamed.at} />: it is{' '}
        <Link to={to} className="text-accent underline">
          {now}
        </Link>{' '}
        now.
      </Said>
    );
  if (last?.action !== 'delete') return null;
  return (
    <Said>
      {last.actor} deleted it <Ago at={last.at} />.
    </Said>
  );
}

const Said = ({ children }: { children: React.ReactNode }) => (
  <div className="mb-3">
    <Note tone="idle">{children}</Note>
  </div>
);

/** Read anew: its parts are kept as text. */
function nameOf(value: Entry['before']): string | null {
  if (!(value instanceof JsonText)) return null;
  const { name } = (JSON.parse(value.text) ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : null;
}
