/** A stored function in the editor, with saving, and what failed because of it. */
import { useEffect } from 'react';
import { useCall } from '../../api/queries.ts';
import { count, plural } from '../../lib/format.ts';
import { Button } from '../../parts/button.tsx';
import { Code, CopyButton } from '../../parts/code.tsx';
import { useStoredDraft } from '../../parts/form/stored-draft.ts';
import { ErrorNote, Note } from '../../parts/places.tsx';
import { Standing } from '../../parts/standing.tsx';
import { say } from '../../parts/toast.tsx';
import type { Source } from './samples.ts';
import type { Fn } from './types.ts';
import { type Group, useHalted, useParked } from './use-parked.ts';
import { Workbench } from './workbench.tsx';

interface FunctionEditorProps {
  fn: Fn;
  source: Source | null;
  /** Whose parked messages are tried again once it is saved. */
  sink?: string;
  /** Told whenever there is something to be saved, and when there is not any more. */
  onModified?: (isModified: boolean) => void;
}

export function FunctionEditor({ fn, source, sink, onModified }: FunctionEditorProps) {
  const { draft, setDraft } = useStoredDraft<Draft>({
    key: `function-${fn.id}`,
    begin: (found) => (found && found.code !== textOf(fn) ? found : { base: fn, code: textOf(fn) }),
    kept,
  });
  const { base, code } = draft;
  const setBase = (next: Fn): void => setDraft((before) => ({ ...before, base: next }));
  const isModified = isChanged(draft);
  const isOutdated = fn.version > base.version;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever is told is another function each time
  useEffect(() => onModified?.(isModified), [isModified]);
  const take = (stored: Fn): void => setDraft({ base: stored, code: textOf(stored) });
  if (isOutdated && !isModified) take(fn);
  const write = (next: string): void => setDraft((before) => ({ ...before, code: next }));
  const groups = useParked(sink, fn.name);
  const isHalted = useHalted(sink);
  const parked = countOf(groups);
  const { save, error, isPending } = useSave(base, code, (stored) => {
    // Unless somebody has typed on meanwhile.
    setDraft((now) => ({ base: stored, code: now.code === code ? textOf(stored) : now.code }));
  });
  const isOfFile = fn.managed_by === 'file';
  const cannotSave = isOfFile ? OF_FILE : isModified ? (isOutdated ? OUTDATED : null) : 'No changes to save';
  return (
    <div className="space-y-4">
      <Standing
        thing={fn}
        release="/api/functions/{function}/release"
        adopt="/api/functions/{function}/adopt"
        path={{ function: fn.name }}
      >
        Change it there, or release it to save it here. You can edit and try it below, and copy the code.
      </Standing>
      <div className="flex flex-wrap items-center gap-2">
        <span className="mr-auto text-muted max-sm:basis-full">{isModified ? 'Modified' : 'Saved'}</span>
        <CopyButton text={code} label="Copy code" />
        <Button because={isModified ? null : 'No changes to save'} onClick={() => take(fn)}>
          Revert
        </Button>
        {parked > 0 && (
          <Button
            needs="admin"
            busy={isPending}
            because={isModified ? cannotSave : isOfFile ? OF_FILE : null}
            onClick={() => sink !== undefined && save({ sink, groups, isHalted })}
          >
            {againWord(isModified, isHalted)} {count(parked)}
          </Button>
        )}
        <Button look="primary" needs="admin" busy={isPending} because={cannotSave} onClick={() => save()}>
          Save
        </Button>
      </div>
      {/* That somebody else was faster is said below. */}
      {error && error.status !== 412 && <ErrorNote error={error} />}
      {/* What is being saved may be read again before it is known to be saved: that is nobody else's change. */}
      {isOutdated && isModified && !isPending && (
        <Meanwhile fn={fn} onTake={() => take(fn)} onKeep={() => setBase(fn)} />
      )}
      {fn.used_by.length > 1 && isModified && (
        <Note tone="warn">Saving changes what {fn.used_by.join(', ')} send from now on.</Note>
      )}
      <Workbench type={fn.type} code={code} onChange={write} source={source} {...(sink ? { sink } : {})} />
      {fn.description !== null && <p className="text-muted">{fn.description}</p>}
      {isModified && isOfFile && <Code text={code} name="code" />}
    </div>
  );
}

/** What somebody is writing. */
interface Draft {
  /** As it was when editing began: what somebody else saves meanwhile is not overwritten unseen. */
  base: Fn;
  code: string;
}

const isChanged = ({ base, code }: Draft): boolean => code !== textOf(base);
const kept = (draft: Draft): Draft | null => (isChanged(draft) ? draft : null);

const OF_FILE = 'Declared in the configuration file';
const OUTDATED = 'Someone else has saved it: keep yours or take theirs first';

interface MeanwhileProps {
  /** As somebody else has saved it. */
  fn: Fn;
  onTake: () => void;
  onKeep: () => void;
}

function Meanwhile({ fn, onTake, onKeep }: MeanwhileProps) {
  return (
    <Note tone="warn" live>
      <p>{fn.updated_by ?? 'Someone'} has saved it in the meantime. If you keep yours, saving replaces theirs:</p>
      <Code text={textOf(fn)} name="their code" />
      <div className="mt-2 flex flex-wrap gap-2">
        <Button onClick={onKeep}>Keep mine</Button>
        <Button onClick={onTake}>Take theirs</Button>
      </div>
    </Note>
  );
}

const againWord = (isModified: boolean, isHalted: boolean): string => {
  if (isHalted) return isModified ? 'Save, resume and retry' : 'Resume and retry';
  return isModified ? 'Save and retry' : 'Retry';
};

const textOf = ({ code, path }: Fn): string => code ?? path ?? '';

/** What is tried again, and whether its sink is paused until somebody resumes it. */
interface Again {
  sink: string;
  groups: readonly Group[];
  isHalted: boolean;
}

/** `onSaved`: with what is stored then. */
function useSave(fn: Fn, code: string, onSaved: (stored: Fn) => void) {
  const change = useCall('patch', '/api/functions/{function}');
  const retry = useCall('post', '/api/sinks/{sink}/messages/retry');
  const text = fn.type === 'path' ? { path: code.trim() } : { code };
  const resume = useCall('post', '/api/sinks/{sink}/resume');
  const tryAgain = async ({ sink, groups, isHalted }: Again): Promise<void> => {
    for (const { filter } of groups) await retry.mutateAsync({ path: { sink }, body: { filter } });
    if (isHalted) await resume.mutateAsync({ path: { sink } });
    say(`Saved ${fn.name}; retrying ${plural(countOf(groups), 'message')}`);
  };
  return {
    error: change.error ?? retry.error ?? resume.error,
    isPending: change.isPending || retry.isPending || resume.isPending,
    /** `again`: what is tried again once it is saved. */
    save(again?: Again): void {
      change.mutate(
        { path: { function: fn.id }, body: text, version: fn.version },
        {
          onSuccess(stored) {
            onSaved(stored);
            if (again === undefined) say(`Saved ${fn.name}`);
            // What is refused is in `error`.
            else tryAgain(again).catch(() => undefined);
          },
        },
      );
    },
  };
}

const countOf = (groups: readonly Group[]): number => groups.reduce((sum, one) => sum + one.count, 0);
