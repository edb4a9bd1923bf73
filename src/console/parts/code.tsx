/** Texts to copy: SQL, commands, an engine's answer. */
import { CheckIcon, CopyIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { copyText } from '../lib/copy.ts';
import { Button, type Look } from './button.tsx';

interface CopyButtonProps {
  text: string;
  label?: string;
  look?: Look;
  /** Without its words on a narrow screen: what is copied stands beside it. */
  isShort?: boolean;
}

export function CopyButton({ text, label = 'Copy', look = 'plain', isShort = false }: CopyButtonProps) {
  const [done, setDone] = useState<boolean | null>(null);
  useEffect(() => {
    if (done === null) return;
    const timer = setTimeout(() => setDone(null), 2_000);
    return () => clearTimeout(timer);
  }, [done]);
  const Icon = done === true ? CheckIcon : CopyIcon;
  return (
    <Button look={look} onClick={async () => setDone(await copyText(text))}>
      <Icon size={14} aria-hidden />
      <span aria-live="polite" className={isShort ? 'max-sm:sr-only' : undefined}>
        {done === null ? label : done ? 'Copied' : 'Could not copy'}
      </span>
    </Button>
  );
}

/** `name`: what it is, for screen readers: `SQL`, `curl`. */
export function Code({ text, name, copy = `Copy ${name}` }: { text: string; name: string; copy?: string }) {
  return (
    <figure className="my-2 rounded-md border border-line bg-surface" aria-label={name}>
      <div className="flex items-start gap-2 p-2">
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
          tabIndex={0}
          className="max-h-80 min-w-0 flex-1 overflow-auto p-1.5 font-mono text-sm whitespace-pre max-sm:break-words max-sm:whitespace-pre-wrap"
        >
          {text}
        </pre>
        <CopyButton text={text} label={copy} isShort />
      </div>
    </figure>
  );
}

/** A short text of the machine's in a sentence. */
export function Mono({ children }: { children: React.ReactNode }) {
  return <code className="font-mono text-sm break-words">{children}</code>;
}

/** A sentence of ours: what stands between backticks is the machine's. */
export function Prose({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
  return text.split('`').map((part, place) => (place % 2 === 1 ? <Mono key={place}>{part}</Mono> : part));
}
