/**
 * A message of a batch with its steps, kept for whoever looks at the sink (`millrace_private.sample_message`): one a second at
 * most, and only while somebody looks. What it costs then is one statement; that it fails is nothing to the delivery.
 */
import { statement } from '../db/statement.ts';
import { outsideText } from '../model/outside-text.ts';
import type { Delivery } from '../model/sink.ts';
import type { Verdict } from './decide.ts';
import type { HeldLane, LaneDeps } from './held-lane.ts';
import type { Prepared } from './prepare.ts';
import type { Sent } from './send.ts';

const SAMPLE = statement('deliver/sample-message');
const SETTLED = statement('deliver/put-settle-time');
const EVERY_MS = 1_000;
/** Of what was sent. */
const CHARACTERS = 32_768;

export interface Sampled {
  prepared: readonly Prepared[];
  /** Of the functions; undefined: there are none. */
  shapeMs: number | undefined;
  /** What became of it; `at` is when it was begun, by the clock. */
  sent: Sent & { at: number; tookMs: number };
}

/** Is it time for one? Then the next one has to wait. */
export function isTime({ now }: Pick<LaneDeps, 'now'>, { target }: Pick<HeldLane, 'target'>): boolean {
  if (now() - target.sampledAt < EVERY_MS) return false;
  target.sampledAt = now();
  return true;
}

/** While the message is still there: before it is settled, or in the settling's stead when it stays. Its id; undefined: there is none. */
export async function keepSample(deps: LaneDeps, { target }: HeldLane, sampled: Sampled): Promise<number | undefined> {
  const { prepared, sent } = sampled;
  // What failed tells more.
  const place = Math.max(
    0,
    sent.verdicts.findIndex((verdict) => 'error' in verdict),
  );
  const message = prepared[place];
  if (message === undefined) return undefined;
  const steps = stepsOf(message, sent.verdicts[place], sampled);
  const text = message.deliveries.length === 0 || target.shapes ? null : textOf(message.deliveries);
  try {
    await deps.db.query(SAMPLE, [target.no, message.row.id, JSON.stringify(steps), text]);
    return message.row.id;
  } catch (error) {
    deps.log.warn({ sink: target.name, err: error }, 'a message was not kept for the preview');
    return undefined;
  }
}

/** Settles, and keeps how long that took beside the sample with this id. */
export async function settleTimed<End>(
  deps: LaneDeps,
  { target }: HeldLane,
  { id, settle, onSettled }: { id: number | undefined; settle(): Promise<End>; onSettled(): void },
): Promise<End> {
  const at = deps.now();
  const end = await settle();
  onSettled();
  if (id === undefined) return end;
  try {
    await deps.db.query(SETTLED, [target.no, id, Math.round(deps.now() - at)]);
  } catch (error) {
    deps.log.warn({ sink: target.name, err: error }, 'how long settling took was not kept for the preview');
  }
  return end;
}

function stepsOf({ deliveries, verdict: own }: Prepared, verdict: Verdict | undefined, sampled: Sampled): object {
  const { sent, shapeMs } = sampled;
  const isSent = deliveries.length > 0;
  const shaped =
    shapeMs === undefined ? {} : { shape_ms: shapeMs, kept: isSent || (own !== undefined && 'error' in own) };
  const times = isSent ? { sent_at: new Date(sent.at).toISOString(), send_ms: sent.tookMs } : {};
  const { status, type } = (verdict && 'answer' in verdict && verdict.answer) || {};
  const error = verdict === undefined ? sent.circuit?.error : 'error' in verdict ? verdict.error : undefined;
  return {
    ...shaped,
    ...times,
    outcome: verdict?.kind ?? 'circuit',
    ...(verdict && 'stage' in verdict ? { stage: verdict.stage } : {}),
    ...(Number.isInteger(status) && status! < 1_000 ? { status } : {}),
    ...(type === undefined ? {} : { type: outsideText(type, { max: 200 }) }),
    ...(error === undefined ? {} : { text: outsideText(error, { max: 2_000 }) }),
  };
}

/** Bodies are JSON texts, and go as they are. */
function textOf(deliveries: readonly Delivery[]): string {
  const length = deliveries.reduce((sum, { body }) => sum + body.length, 0);
  const items = deliveries.map(({ action, indexName, body }) => {
    const index = indexName === undefined ? '' : `,"index_name":${JSON.stringify(indexName)}`;
    const isDelete = action === 'delete';
    return `{"action":"${action}"${index},"body":${length > CHARACTERS || isDelete ? 'null' : body}}`;
  });
  return `[${items.join(',')}]`;
}
