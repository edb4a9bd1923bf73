/** How much WAL a slot keeps, of how much it may. */
import { bytes, percent } from '../../lib/format.ts';

/** Of the limit: from here on somebody should look, and from here on it is late. */
const WARN = 0.5;
const DANGER = 0.9;

interface GaugeProps {
  kept: number | null;
  limit: number | null;
  /** As wide as there is room. */
  wide?: boolean;
}

export function Gauge({ kept, limit, wide = false }: GaugeProps) {
  if (kept === null) return <span>–</span>;
  if (limit === null) return <span className="whitespace-nowrap tabular-nums">{bytes(kept)}, no limit</span>;
  const part = limit === 0 ? 1 : Math.min(1, kept / limit);
  const tone = part >= DANGER ? 'bg-danger' : part >= WARN ? 'bg-warn' : 'bg-accent';
  const words = `${bytes(kept)} of ${bytes(limit)}`;
  return (
    <span className={wide ? 'block' : 'inline-flex items-center gap-2 whitespace-nowrap'}>
      <meter className="sr-only" aria-label="WAL kept" min={0} max={1} value={part}>
        {words}
      </meter>
      <span aria-hidden className={`block h-2 overflow-hidden rounded-md bg-idle-bg ${wide ? 'mb-1 w-full' : 'w-20'}`}>
        <span className={`block h-full ${tone}`} style={{ width: `${Math.max(part * 100, 0.5)}%` }} />
      </span>
      <span className="tabular-nums">
        {words}
        {wide && <span className="text-muted">, {percent(part)}</span>}
      </span>
    </span>
  );
}
