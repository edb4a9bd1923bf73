/** What differs, key by key. */
import { writeKeeping } from '../../api/json-text.ts';
import type { Difference } from './edit.ts';

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'default';
  return typeof value === 'string' ? value : writeKeeping(value);
}

export function Differences({ label, differences }: { label: string; differences: readonly Difference[] }) {
  return (
    <dl aria-label={label} className="my-2 divide-y divide-line rounded-md border border-line">
      {differences.map(({ path, old, new: after }) => (
        <div key={path} className="px-3 py-1.5">
          <dt className="font-mono text-sm font-medium">{path}</dt>
          <dd className="font-mono text-sm break-words whitespace-pre-wrap text-danger">
            <span className="sr-only">before: </span>- {shown(old)}
          </dd>
          <dd className="font-mono text-sm break-words whitespace-pre-wrap text-ok">
            <span className="sr-only">after: </span>+ {shown(after)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
