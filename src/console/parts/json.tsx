/** JSON as it came, drawn line by line: text alone, never a value, so that each digit stays. Of what is long, its beginning. */
import { DownloadIcon } from '@primer/octicons-react';
import { useMemo } from 'react';
import { download } from '../lib/download.ts';
import { bytes, count } from '../lib/format.ts';
import { jsonLines, type Line, type TokenKind } from '../lib/json-lines.ts';
import { Button } from './button.tsx';
import { CopyButton } from './code.tsx';

/** Characters, and lines, that are drawn. */
const MOST = 262_144;
const MOST_LINES = 5_000;
/** What lies deeper is drawn no further to the right. */
const DEEPEST = 40;

const LOOKS: Record<TokenKind, string> = { key: 'text-muted', string: '', scalar: 'text-accent', sign: 'text-muted' };

interface JsonProps {
  text: string;
  /** What it is: `Row`. */
  name: string;
  /** Under which it is downloaded. */
  file: string;
  /** The last names of the fields that are wrong, as a destination calls them: `price`. */
  marked?: string | null;
}

export function Json({ text, name, file, marked = null }: JsonProps) {
  const isLong = text.length > MOST;
  const all = useMemo(() => jsonLines(isLong ? text.slice(0, MOST) : text), [text, isLong]);
  const lines = all.slice(0, MOST_LINES);
  const isCut = lines.length < all.length;
  return (
    <figure aria-label={name} className="rounded-md border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-2 py-1.5">
        <span className="mr-auto px-1 text-sm text-muted">
          {isCut && `The first ${count(MOST_LINES)} lines of `}
          {!isCut && isLong && `The first ${bytes(MOST)} of `}
          {bytes(text.length)}
        </span>
        <CopyButton text={text} look="quiet" />
        <Button look="quiet" onClick={() => download(file, text)}>
          <DownloadIcon size={14} aria-hidden />
          Download
        </Button>
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
        tabIndex={0}
        aria-label={`${name}, its text`}
        className="max-h-[32rem] overflow-auto p-2 font-mono text-sm"
      >
        {lines.map((line, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
          <JsonLine key={place} line={line} isMarked={marked !== null && isField(line.path, marked)} />
        ))}
        {(isLong || isCut) && <p className="text-muted">…</p>}
      </section>
    </figure>
  );
}

const isField = (path: string, field: string): boolean => path === field || path.endsWith(`.${field}`);

function JsonLine({ line: { depth, tokens }, isMarked }: { line: Line; isMarked: boolean }) {
  return (
    <div
      className={`min-w-max px-1 whitespace-pre ${isMarked ? 'bg-danger-bg' : ''}`}
      style={{ paddingLeft: `${Math.min(depth, DEEPEST) * 2 + 0.5}ch` }}
    >
      {tokens.map(({ kind, text }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
        <span key={place} className={isMarked ? 'text-danger' : LOOKS[kind]}>
          {text}
        </span>
      ))}
      {isMarked && (
        <span className="ml-2 font-medium text-danger">
          ◄<span className="sr-only"> (the field with the error)</span>
        </span>
      )}
    </div>
  );
}
