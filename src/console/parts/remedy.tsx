/** What is wrong and what to do: a finding's sentence, the machine's own answer unchanged, the SQL or command to copy. */
import { ApiError } from '../api/client.ts';
import { beginsWithWord, sentence } from '../lib/format.ts';
import { Code, Prose } from './code.tsx';

/** A check of the doctor, an item of the overview. */
export interface Finding {
  summary: string;
  remedy?: string | null;
  sql?: string | null;
  run_on?: string | null;
  answer?: string | null;
}

export function Remedy({ finding, withSummary = true }: { finding: Finding; withSummary?: boolean }) {
  const { summary, remedy, sql, run_on, answer } = finding;
  return (
    <div className="min-w-0">
      {withSummary && (
        <p className={`break-words ${beginsWithWord(summary) ? 'first-letter:uppercase' : ''}`}>
          <Prose text={summary} />
        </p>
      )}
      {answer != null && (
        <pre className="my-1 max-h-48 overflow-auto font-mono text-sm break-words whitespace-pre-wrap text-muted">
          {answer}
        </pre>
      )}
      {sql != null && (
        <>
          {run_on != null && <p className="mt-1 text-sm text-muted">Run on the {run_on}:</p>}
          <Code text={sql} name="SQL" />
        </>
      )}
      {/* Beside a statement: what else is to be known of it. */}
      {remedy != null && (
        <p className="break-words text-muted">
          <Prose text={sql == null ? remedy : sentence(remedy)} />
        </p>
      )}
    </div>
  );
}

const TAKEN = ['is already taken'];

/** What the API refused, where its place is in a form. `named`: the field that tells one from another. */
export function fieldErrors(error: unknown, field: string, named = 'name'): readonly string[] | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.code === 'name_taken' && field === named ? TAKEN : error.fields[field];
}
