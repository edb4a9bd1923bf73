/** How far a verification is, as a person reads it. */
import { progressText } from '../../model/progress-text.ts';
import type { VerifyProgress } from '../verify.ts';

const WORDS = {
  rows: { what: 'compared', unit: 'rows' },
  index: { what: 'looked through', unit: 'documents' },
  recheck: { what: 'looking again', unit: 'documents' },
  repair: { what: 'sending again', unit: 'documents' },
} as const;

/** One line. */
export function tellProgress({ phase, name, part, count: done }: VerifyProgress): string {
  const { what, unit } = WORDS[phase];
  const total = part ? Math.round(done / part) : undefined;
  return `${name === '' ? '' : `${name} `}${what}: ${progressText({ done, total, unit })}`;
}
