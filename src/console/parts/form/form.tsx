/** What all parts of a form share: the entry, how it is changed, and what the API says of its fields. */
import { createContext, useContext } from 'react';
import { valueAt } from './values.ts';

export interface Form<Entry extends object = object> {
  entry: Entry;
  set(path: string, value: unknown): void;
  /** Sentences by field. */
  faults: Readonly<Record<string, readonly string[]>>;
  /** It is stored: secrets are kept while they are left alone, and its source database stays. */
  isStored: boolean;
}

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === null) throw new Error('A part of a form outside of it');
  return form;
}

export function useField(path: string) {
  const { entry, set, faults, isStored } = useForm();
  return {
    value: valueAt(entry, path),
    set: (value: unknown) => set(path, value),
    errors: faultsAt(faults, path),
    isStored,
  };
}

/** Of the field and of what is in it. */
export function faultsAt(faults: Form['faults'], path: string): string[] | undefined {
  const found = Object.entries(faults).flatMap(([field, sentences]) => {
    if (field === path) return [...sentences];
    const inner = field.startsWith(`${path}.`) || field.startsWith(`${path}[`);
    return inner ? sentences.map((sentence) => `${field.slice(path.length).replace(/^\./, '')} ${sentence}`) : [];
  });
  return found.length === 0 ? undefined : found;
}
