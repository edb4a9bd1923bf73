/** One message on its way: read, shaped, sent, settled, each with its time; opened, what it was at each step. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { JsonText } from '../../api/json-text.ts';
import { bytes, ms } from '../../lib/format.ts';
import { BACKGROUNDS, type Tone } from '../../parts/icons.tsx';
import { Json } from '../../parts/json.tsx';
import { At } from '../../parts/time.tsx';
import type { Traced } from './use-trace.ts';

const OUTCOMES: Record<string, { word: string; tone: Tone }> = {
  done: { word: 'delivered', tone: 'ok' },
  retry: { word: 'will be retried', tone: 'warn' },
  park: { word: 'parked', tone: 'danger' },
  wait: { word: 'waits', tone: 'idle' },
  waiting: { word: 'waits', tone: 'idle' },
  leased: { word: 'leased to a client', tone: 'idle' },
  circuit: { word: 'delivery is halted', tone: 'danger' },
};

export function TracedMessage({ message, sink }: { message: Traced; sink: string }) {
  const [open, setOpen] = useState(false);
  const { at, action, table_schema, table_name, record_pk, steps } = message;
  const { word, tone } = OUTCOMES[steps.answer.outcome] ?? { word: steps.answer.outcome, tone: 'idle' };
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full flex-wrap items-center gap-x-4 gap-y-0.5 px-3 py-1.5 text-left text-sm hover:bg-surface pointer-coarse:min-h-11"
      >
        <span className="text-muted tabular-nums">
          <At at={at} />
        </span>
        <span className="min-w-0 truncate">
          <bdi>
            {table_schema}.{table_name}
          </bdi>{' '}
          <span className="font-mono">{record_pk}</span>, {action}
        </span>
        <span className="ml-auto flex flex-wrap items-center gap-x-3 text-muted tabular-nums">
          <StepTimes message={message} />
          <span className={`rounded-md px-1.5 text-xs font-medium ${BACKGROUNDS[tone]}`}>{word}</span>
        </span>
      </button>
      {open && <Steps message={message} sink={sink} />}
    </li>
  );
}

function StepTimes({ message: { at, steps } }: { message: Traced }) {
  const waited = Date.parse(steps.sent?.at ?? at) - Date.parse(steps.captured.at);
  return (
    <>
      <span title="From its commit until it was read for delivery">read {ms(Math.max(0, waited))}</span>
      {steps.shaped && <span title="Its functions">shape {ms(steps.shaped.took_ms)}</span>}
      {steps.sent && <span title="The request that it was part of">send {ms(steps.sent.took_ms)}</span>}
      {steps.settled && (
        <span title="The transaction that recorded what became of it">settle {ms(steps.settled.took_ms)}</span>
      )}
    </>
  );
}

function Steps({ message, sink }: { message: Traced; sink: string }) {
  const { message_id, steps } = message;
  const { captured, shaped, sent, answer } = steps;
  const captured_text = captured.message instanceof JsonText ? captured.message.text : null;
  return (
    <div className="space-y-3 border-t border-line bg-surface px-3 py-3">
      {answer.text !== null && (
        <section aria-label="Answer" className={`rounded-md px-3 py-2 ${BACKGROUNDS.danger}`}>
          <p className="font-mono text-sm font-medium">
            {[answer.stage, answer.status, answer.type].filter((part) => part !== null).join(' ')}
          </p>
          <pre className="font-mono text-sm break-words whitespace-pre-wrap text-text">{answer.text}</pre>
        </section>
      )}
      <div className="grid gap-3 lg:grid-cols-2">
        <div className="min-w-0">
          <h3 className="mb-1 text-sm font-medium">Read, {bytes(captured.size)}</h3>
          {captured_text !== null && captured_text !== 'null' ? (
            <Json text={captured_text} name="Message" file={`message-${message_id}.json`} />
          ) : (
            <p className="text-muted">Too large to show here. Open the message.</p>
          )}
        </div>
        <div className="min-w-0">
          <h3 className="mb-1 text-sm font-medium">Sent</h3>
          {sent?.deliveries instanceof JsonText && sent.deliveries.text !== 'null' ? (
            <Json text={sent.deliveries.text} name="What was sent" file={`sent-${message_id}.json`} />
          ) : (
            <p className="text-muted">{sentWords(sent !== null, shaped?.kept === false)}</p>
          )}
        </div>
      </div>
      {answer.outcome !== 'done' && (
        <Link
          to="/sinks/$sink/messages/$id"
          params={{ sink, id: String(message_id) }}
          className="text-accent hover:underline"
        >
          Open the message
        </Link>
      )}
    </div>
  );
}

function sentWords(isSent: boolean, isFiltered: boolean): string {
  if (isFiltered) return 'Nothing: the filter dropped it.';
  return isSent ? 'The row as it is.' : 'Nothing was sent.';
}
