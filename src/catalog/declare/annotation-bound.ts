/**
 * How much the annotations of one thing may hold: they stand in every message of it. What is stored already stays as it is until
 * somebody changes it, so a file that was applied before there was a bound still starts the service.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Fault } from '../../model/errors.ts';

/** Keys and values together, in UTF-8: as much as Kubernetes takes. */
export const MOST_ANNOTATION_BYTES = 262_144;

interface Annotated {
  name: string;
  annotations?: unknown;
  /** Those that are stored. */
  before?: unknown;
}

/** The fault of it, or none. */
export function annotationFaults({ name, annotations, before }: Annotated): Fault[] {
  const bytes = Object.entries(annotations ?? {}).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
  if (bytes <= MOST_ANNOTATION_BYTES || isDeepStrictEqual(annotations, before)) return [];
  const most = MOST_ANNOTATION_BYTES.toLocaleString('en');
  const message = `hold ${bytes.toLocaleString('en')} bytes, and may hold ${most}: they are part of every message`;
  return [{ field: `${name}.annotations`, message, remedy: 'Shorten them, or keep a reference to what they say.' }];
}
