/** Where a person finds a thing in the console: links for whoever was woken by an alert. */
import { kindOfType } from '../sinks/kinds.ts';

/** BASE_URL, without a slash at its end; null: nobody said by which address people come. */
export type BaseUrl = string | null;

export const databasePage = (base: BaseUrl, name: string): string | null =>
  base === null ? null : `${base}/databases/${encodeURIComponent(name)}`;

/** Of a sink or a change retention. */
export function sinkPage(base: BaseUrl, { name, kind }: { name: string; kind: string }): string | null {
  if (base === null) return null;
  const list = kindOfType(kind)?.list === undefined ? 'sinks' : 'change-retentions';
  return `${base}/${list}/${encodeURIComponent(name)}`;
}
