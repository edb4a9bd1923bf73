/** What keeps all of them from being delivered, in the destination's own words. */
import { words } from '../../lib/format.ts';
import { buttonLook } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/code.tsx';
import { BACKGROUNDS, State } from '../../parts/icons.tsx';
import { SinkLink } from '../../parts/sink-link.tsx';
import { Ago } from '../../parts/time.tsx';
import type { Place } from './place.ts';

export function SinkError({ place: { name, home, error, failingSince, reason } }: { place: Place }) {
  if (error === null) return null;
  return (
    <section aria-label="Why nothing is delivered" className={`mb-4 rounded-md px-3 py-2 ${BACKGROUNDS.danger}`}>
      <div className="flex flex-wrap items-center gap-x-3">
        <State state="failing" word={`Nothing is delivered to ${name}`} isLong />
        <span className="text-sm text-text">
          {reason !== null && words(reason)}
          {failingSince !== null && (
            <>
              , since <Ago at={failingSince} />
            </>
          )}
        </span>
        <span className="ml-auto flex flex-wrap items-center gap-2">
          <SinkLink home={home} name={name} className={buttonLook('quiet')}>
            What to do
          </SinkLink>
          <CopyButton text={error} label="Copy answer" look="quiet" />
        </span>
      </div>
      <ErrorText text={error} />
    </section>
  );
}

/** As the destination said it. */
export function ErrorText({ text }: { text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
      tabIndex={0}
      className="max-h-48 overflow-auto py-1 font-mono text-sm break-words whitespace-pre-wrap text-text"
    >
      {text}
    </pre>
  );
}
