/** Instants as ages; the instant itself on hover and focus, in the zone of the page. */
import { useNow, useZone } from '../lib/clock.ts';
import { ago, instant, span, type Zone } from '../lib/format.ts';

const zoneWord = (zone: Zone): string => (zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone);

export function Ago({ at }: { at: string | null | undefined }) {
  const now = useNow();
  const zone = useZone();
  if (at == null) return <span className="text-muted">never</span>;
  const date = new Date(at);
  return (
    <time
      dateTime={date.toISOString()}
      title={`${instant(date, zone)} ${zoneWord(zone)}`}
      className="whitespace-nowrap"
    >
      {ago(date, now)}
    </time>
  );
}

/** The instant itself. */
export function At({ at, millis = true }: { at: string; millis?: boolean }) {
  const zone = useZone();
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={`${date.toISOString()}`} className="whitespace-nowrap tabular-nums">
      {instant(date, zone, { millis })}
    </time>
  );
}

/** Counts down to what will happen by itself. */
export function Until({ at }: { at: string }) {
  const now = useNow();
  const seconds = (new Date(at).getTime() - now) / 1_000;
  return <span className="tabular-nums">{seconds <= 0 ? 'now' : `in ${span(Math.ceil(seconds))}`}</span>;
}
