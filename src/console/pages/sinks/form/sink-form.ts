/** The form around a part of a sink's. */
import { type Form, useForm } from '../../../parts/form/form.tsx';
import type { SinkEntry } from './entry.ts';

export const useSinkForm = (): Form<SinkEntry> => useForm() as Form<SinkEntry>;
