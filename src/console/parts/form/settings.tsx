/**
 * Every setting of a sink or a change retention. What is saved is shown first, key by key; what somebody else changed since it was
 * read is shown, and not overwritten.
 */
import { type ReactNode, useMemo, useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { useSinkPaths } from '../../api/sink-paths.ts';
import { Button } from '../button.tsx';
import { Code } from '../code.tsx';
import { Note } from '../places.tsx';
import { Standing } from '../standing.tsx';
import { say } from '../toast.tsx';
import { AsYaml } from './as-yaml.tsx';
import { Differences } from './differences.tsx';
import { differencesOf, type Patch, patched, patchOf } from './edit.ts';
import { FormContext } from './form.tsx';
import { faultsOf, type Planned, usePlan } from './plan.ts';
import { SaveDialog } from './save-dialog.tsx';
import { useStoredDraft } from './stored-draft.ts';
import { type Begun, Unsaved } from './unsaved.tsx';
import { withValue } from './values.ts';

/** What is stored of it. */
interface Stored {
  id: string;
  name: string;
  version: number;
  managed_by: string;
  declared_from: string | null;
  entry_name: string | null;
  updated_by: string | null;
}

interface Base<Entry> {
  version: number;
  entry: Entry;
}

/** What somebody has begun to change here. */
interface Draft<Entry> extends Begun {
  base: Base<Entry>;
  /** Null: nothing. */
  mine: Entry | null;
}

interface SettingsProps<Entry> {
  stored: Stored;
  /** Its entry, as it is stored. */
  entry: Entry;
  /** What somebody has changed, but secrets as they are stored: those that were entered are not kept. */
  withStoredSecrets?: (mine: Entry, entry: Entry) => Entry;
  /** What becomes of what is under way, once it is saved. */
  effect: string;
  /** What is to be known of its YAML. */
  yamlNote: ReactNode;
  /** It was given another name: where it is now. */
  onRenamed: (name: string) => Promise<void>;
  /** The parts of the form. `patch`: what was changed. */
  children: (entry: Entry, patch: Patch) => ReactNode;
}

export function Settings<Entry extends object>(props: SettingsProps<Entry>) {
  return <Drafted key={props.stored.id} {...props} />;
}

const isOther = (before: object, after: object): boolean => Object.keys(patchOf(before, after)).length > 0;

function keptWith<Entry extends object>(withStoredSecrets: (mine: Entry, entry: Entry) => Entry) {
  return ({ base, mine, isPartial = false }: Draft<Entry>): Draft<Entry> | null => {
    if (mine === null || !isOther(base.entry, mine)) return null;
    const safe = withStoredSecrets(mine, base.entry);
    return { base, mine: safe, isFound: true, isPartial: isPartial || isOther(safe, mine) };
  };
}

const whole = <Entry,>(mine: Entry): Entry => mine;

function Drafted<Entry extends object>(props: SettingsProps<Entry>) {
  const { stored, entry, withStoredSecrets = whole } = props;
  const now: Base<Entry> = { version: stored.version, entry };
  const kept = useMemo(() => keptWith(withStoredSecrets), [withStoredSecrets]);
  // Whatever changes of it elsewhere is taken in, until somebody has begun to change it here.
  const { draft, setDraft, forget } = useStoredDraft<Draft<Entry>>({
    key: `settings-${stored.id}`,
    // What was saved while another page was looked at is no change any more.
    begin: (found) => (found?.mine && isOther(entry, found.mine) ? found : { base: now, mine: null }),
    kept,
  });
  const [undone, setUndone] = useState(0);
  const { base, mine } = draft;
  const current = mine === null && base.version !== stored.version ? now : base;
  return (
    <Form
      key={`${current.version} ${undone}`}
      {...props}
      base={current}
      mine={mine ?? current.entry}
      begun={draft}
      change={(next) => setDraft({ ...draft, base: current, mine: next })}
      forget={() => {
        forget();
        setDraft({ base: current, mine: null });
        setUndone(undone + 1);
      }}
      rebase={(patch) => setDraft({ ...draft, base: now, mine: patched(entry, patch) })}
    />
  );
}

interface FormProps<Entry> extends SettingsProps<Entry> {
  /** As it was when somebody began to change it. */
  base: Base<Entry>;
  mine: Entry;
  begun: Begun;
  change: (next: Entry) => void;
  forget: () => void;
  rebase: (patch: Patch) => void;
}

function Form<Entry extends object>(props: FormProps<Entry>) {
  const { stored, entry, base, mine, begun, change, forget, rebase, children } = props;
  const { paths } = useSinkPaths();
  const patch = patchOf(base.entry, mine);
  const isChanged = Object.keys(patch).length > 0;
  const planned = usePlan(patch, stored.name);
  const save = useCall('patch', paths.one);
  const set = (path: string, value: unknown): void => change(withValue(mine, path, value));
  return (
    <FormContext value={{ entry: mine, set, faults: faultsOf(planned.error), isStored: true }}>
      <Standing thing={stored} release={paths.release} adopt={paths.adopt} path={{ sink: stored.name }}>
        Edit it below, then copy its entry into the file.
      </Standing>
      {isChanged && <Unsaved {...begun} />}
      {/* What is being saved may be read again before it is known to be saved: that is nobody else's change. */}
      {isChanged && base.version !== stored.version && !save.isPending && (
        <Meanwhile by={stored.updated_by} before={base.entry} after={entry} forget={forget}>
          <Button onClick={() => rebase(patch)}>Apply my changes on top</Button>
        </Meanwhile>
      )}
      <form onSubmit={(event) => event.preventDefault()} noValidate>
        {children(mine, patch)}
      </form>
      <Save {...props} {...{ patch, planned, isChanged, save }} />
    </FormContext>
  );
}

interface MeanwhileProps {
  by: string | null;
  before: object;
  after: object;
  forget: () => void;
  children: ReactNode;
}

/** Somebody else has changed it since it was read. */
function Meanwhile({ by, before, after, forget, children }: MeanwhileProps) {
  const differences = differencesOf(before, patchOf(before, after));
  return (
    <div className="mb-5">
      <Note tone="warn" live>
        <p className="font-medium">
          {by ?? 'Someone'} changed {differences.length === 0 ? 'its status' : 'it'} in the meantime
          {differences.length > 0 && ':'}
        </p>
        {differences.length > 0 && <Differences label="What was changed in the meantime" differences={differences} />}
        <div className="mt-2 flex flex-wrap gap-2">
          {children}
          <Button onClick={forget}>Discard my changes</Button>
        </div>
      </Note>
    </div>
  );
}

interface SaveProps<Entry> extends FormProps<Entry> {
  patch: Patch;
  planned: Planned;
  isChanged: boolean;
  save: ReturnType<typeof useCall<'patch', '/api/sinks/{sink}'>>;
}

function Save<Entry extends object>(given: SaveProps<Entry>) {
  const { stored, entry, base, patch, planned, isChanged, save, forget, ...props } = given;
  const [open, setOpen] = useState(false);
  const isOfFile = stored.managed_by === 'file';
  const diff = planned.plan?.diff ?? [];
  const confirm = (): void =>
    save.mutate(
      {
        path: { sink: stored.name },
        body: patch,
        version: save.error?.status === 412 ? stored.version : base.version,
      },
      {
        async onSuccess({ name }) {
          setOpen(false);
          forget();
          say(`Saved ${name}`);
          if (name !== stored.name) await props.onRenamed(name);
        },
      },
    );
  return (
    <>
      {isOfFile && isChanged && planned.plan && !planned.isOld && (
        <div className="border-t border-line py-3">
          <Differences label="What would change" differences={diff} />
          <Code text={planned.plan.yaml} name="YAML" />
        </div>
      )}
      <div className="sticky bottom-0 z-10 short:static -mx-1 flex flex-wrap items-center gap-2 border-t border-line bg-bg px-1 py-3">
        {isOfFile ? null : (
          <Button
            look="primary"
            needs="admin"
            because={isChanged ? (planned.error ? 'Some values are not valid yet' : null) : 'No changes to save'}
            onClick={() => {
              save.reset();
              setOpen(true);
            }}
          >
            Save…
          </Button>
        )}
        {isChanged && <Button onClick={forget}>Undo all changes</Button>}
        <AsYaml planned={planned}>{props.yamlNote}</AsYaml>
        {planned.error && isChanged && <span className="text-sm text-danger">{planned.error.message}</span>}
        <SaveDialog
          {...{ name: stored.name, open, save }}
          meanwhile={{ by: stored.updated_by, differences: differencesOf(base.entry, patchOf(base.entry, entry)) }}
          differences={planned.isOld ? undefined : diff}
          onClose={() => setOpen(false)}
          onSave={confirm}
        >
          <p>{props.effect}</p>
          {planned.plan?.warnings.map((warning) => (
            <Note key={warning} tone="warn">
              {warning}
            </Note>
          ))}
        </SaveDialog>
      </div>
    </>
  );
}
