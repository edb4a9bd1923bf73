/** Code to be written: loaded with the page that needs it. Escape, then Tab leaves it. */
import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { nonce } from '../lib/nonce.ts';

/** A fault at a line and column, both from 1. */
export interface Fault {
  line: number;
  column: number | null;
  message: string;
}

/** A name that can follow `record.`, with its type. */
export interface Name {
  name: string;
  type: string;
}

interface EditorProps {
  label: string;
  value: string;
  onChange: (next: string) => void;
  faults?: readonly Fault[];
  /** What may follow `record.`, `changes.` and `metadata.`. */
  names?: Readonly<Record<string, readonly Name[]>>;
  readOnly?: boolean;
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
]);

const THEME = EditorView.theme({
  '&': { fontSize: 'var(--text-sm)', backgroundColor: 'var(--raised)', color: 'var(--text)', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-scroller': { minHeight: '16rem', overflow: 'auto' },
  '.cm-content, .cm-gutter': { minHeight: '16rem' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--surface)' },
  '&.cm-focused .cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--idle-bg)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--idle-bg)', color: 'var(--text)' },
});

export function Editor({ label, value, onChange, faults = [], names = {}, readOnly = false }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ onChange, names });
  latest.current = { onChange, names };
  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; what changes later is dispatched below
  useEffect(() => {
    const made = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          ...[EditorView.cspNonce.of(nonce), THEME, syntaxHighlighting(COLOURS), lineNumbers(), highlightActiveLine()],
          ...[history(), indentOnInput(), bracketMatching(), lintGutter(), javascript({ typescript: true })],
          autocompletion({ override: [(context) => complete(context, latest.current.names)] }),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorState.readOnly.of(readOnly),
          // On a phone hardly a line is short enough.
          matchMedia('(min-width: 48rem)').matches ? [] : EditorView.lineWrapping,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    // What scrolls can be reached by keys, too.
    made.scrollDOM.tabIndex = 0;
    made.scrollDOM.setAttribute('role', 'group');
    made.scrollDOM.setAttribute('aria-label', `${label}: scrolls`);
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const now = view.current;
    if (now === null || now.state.doc.toString() === value) return;
    now.dispatch({ changes: { from: 0, to: now.state.doc.length, insert: value } });
  }, [value]);
  const found = JSON.stringify(faults);
  // Told only when they are others: what is said of one while somebody points at it would be hidden.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `found` is all of them
  useEffect(() => {
    const now = view.current;
    if (now === null) return;
    const told = diagnosticsOf(now.state, faults);
    now.dispatch(setDiagnostics(now.state, told));
    // Whoever is writing stays where they are.
    if (told[0] && !now.hasFocus)
      now.dispatch({ effects: EditorView.scrollIntoView(told[0].from, { y: 'nearest', yMargin: 60 }) });
  }, [found]);
  return <div ref={place} className="overflow-hidden rounded-md border border-edge" />;
}

function diagnosticsOf(state: EditorState, faults: readonly Fault[]): Diagnostic[] {
  return faults
    .filter(({ line }) => line >= 1 && line <= state.doc.lines)
    .map(({ line, column, message }) => {
      const { from, to } = state.doc.line(line);
      const at = Math.min(from + Math.max(0, (column ?? 1) - 1), to);
      return { from: column === null ? from : at, to, severity: 'error' as const, message };
    });
}

/** Names of columns behind `record.` and its like. */
function complete(
  context: CompletionContext,
  names: Readonly<Record<string, readonly Name[]>>,
): CompletionResult | null {
  const before = context.matchBefore(/\b(record|changes|metadata)\??\.\w*/);
  if (before === null) return null;
  const [object = ''] = /^\w+/.exec(before.text) ?? [];
  const known = names[object] ?? [];
  const from = before.from + before.text.lastIndexOf('.') + 1;
  return {
    from,
    options: known.map(({ name, type }) => ({ label: name, detail: type, type: 'property' })),
    validFor: /^\w*$/,
  };
}
