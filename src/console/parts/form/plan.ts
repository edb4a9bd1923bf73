/** What the API says of a sink or a change retention while its form is filled: faults by field, what would change, its YAML. */
import { useEffect, useState } from 'react';
import { type Answer, type ApiError, type Body, call } from '../../api/client.ts';
import { parseKeeping, writeKeeping } from '../../api/json-text.ts';
import { useSinkPaths } from '../../api/sink-paths.ts';
import { untilSaid } from '../../api/until-said.ts';
import type { Form } from './form.tsx';

type Faults = Form['faults'];

export type Plan = Answer<'/api/sinks/plan', 'post'>;

export interface Planned {
  plan?: Plan;
  error?: ApiError;
  /** The form has changed since: what it says now is being asked for. */
  isOld: boolean;
}

const STILL_MS = 400;

/** Asked once nobody has typed for a moment. `stored`: of one that is there, what changes. `body` null: nothing is asked. */
export function usePlan(body: object | null, stored?: string): Planned {
  const [planned, setPlanned] = useState<Omit<Planned, 'isOld'> & { of?: string | null }>({});
  const { plan: draft, planOne } = useSinkPaths().paths;
  const text = body === null ? null : writeKeeping(body);
  useEffect(() => {
    if (text === null) return setPlanned({ of: null });
    return untilSaid({
      ask(signal) {
        const given = { body: parseKeeping(text) as Body<'/api/sinks/plan', 'post'>, signal };
        return stored === undefined
          ? call('post', draft, given)
          : call('post', planOne, { ...given, path: { sink: stored } });
      },
      onAnswer: (plan) => setPlanned({ of: text, plan }),
      onError: (error) => setPlanned({ of: text, error }),
      afterMs: STILL_MS,
    });
  }, [text, stored, draft, planOne]);
  return { ...planned, isOld: planned.of !== text };
}

/** By field; that the name is taken, too. */
export function faultsOf(error: ApiError | undefined | null): Faults {
  if (!error) return {};
  return error.code === 'name_taken' ? { name: ['is already taken'] } : error.fields;
}

const isOf = (field: string, path: string): boolean =>
  field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);

/** What became of a form that was sent. */
export interface Sent {
  isTried: boolean;
  error: ApiError | null;
  /** The part of the form that `error` is about, where that is not the entry itself. */
  within?: string | null;
}

/**
 * Of a form that nobody has sent yet, only what somebody has filled in is wrong; of one that was refused, what nobody has
 * changed since. `touch`: that somebody changed it.
 */
export function useShownFaults(planned: Planned, sent: Sent): { faults: Faults; touch(path: string): void } {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [since, setSince] = useState<{ error: ApiError | null; paths: ReadonlySet<string> }>(NOBODY);
  const corrected = since.error === sent.error ? since.paths : NOBODY.paths;
  const known = Object.entries(faultsOf(planned.error));
  const refused = Object.entries(faultsOf(sent.error)).map(
    ([field, sentences]) => [sent.within == null ? field : `${sent.within}.${field}`, sentences] as const,
  );
  return {
    faults: Object.fromEntries([
      ...refused.filter(([field]) => ![...corrected].some((path) => isOf(field, path) || isOf(path, field))),
      ...known.filter(([field]) => sent.isTried || [...touched].some((path) => isOf(field, path))),
    ]),
    touch(path) {
      setTouched((before) => new Set(before).add(path));
      setSince(({ error, paths }) => ({
        error: sent.error,
        paths: new Set(error === sent.error ? paths : []).add(path),
      }));
    },
  };
}

const NOBODY = { error: null, paths: new Set<string>() };
