/** A proposed name is one that no sink and no change retention has. */
import { useRef } from 'react';
import { useOverview } from '../../api/overview.ts';
import { freeName } from '../../lib/name.ts';

const NONE: ReadonlySet<string> = new Set();

/** Of those that were there when the form was opened: what it makes itself keeps its name, also if its answer is lost. */
export function useFreeName(): (name: string) => string {
  const { data } = useOverview();
  const taken = useRef<ReadonlySet<string>>(null);
  if (data !== undefined) taken.current ??= new Set([...data.sinks, ...data.change_retentions].map(({ name }) => name));
  return (name) => freeName(name, taken.current ?? NONE);
}
