/**
 * A section of the declaration: an object whose unknown keys are faults, each by name, with the key that was probably
 * meant. Keys that are known and refused (a system that we do not have, a feature that is not there yet) say so.
 */
import { z } from 'zod';
import { type Finding, nearest, type Path } from './finding.ts';
import { LongNumber } from './long-number.ts';

export interface Refusal {
  message: string;
  remedy: string;
}

interface Known {
  keys: string[];
  refused: Record<string, Refusal>;
}

/** By the text that zod carries for unknown keys, the only thing of ours that reaches its issues. */
const sections = new Map<string, Known>();

const MARK = 'unknown key in ';

/** `title` is unique: it is how the issue finds its section again. */
export function section<Shape extends z.core.$ZodLooseShape>(
  title: string,
  shape: Shape,
  refused: Record<string, Refusal> = {},
): z.ZodObject<Shape, z.core.$strict> {
  const mark = `${MARK}${title}`;
  sections.set(mark, { keys: Object.keys(shape), refused });
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? mark : undefined),
  });
}

/** Every section that was made: its title, its keys, and the keys that it refuses by name. For whoever describes the file. */
export function allSections(): { title: string; keys: string[]; refused: string[] }[] {
  return [...sections].map(([mark, { keys, refused }]) => ({
    title: mark.slice(MARK.length),
    keys: [...keys],
    refused: Object.keys(refused),
  }));
}

/** Is it a key of any section? */
export function isKey(key: string): boolean {
  return [...sections.values()].some(({ keys, refused }) => keys.includes(key) || Object.hasOwn(refused, key));
}

const remedies = new Map<string, string>();

/** A message for where zod takes nothing else, with its remedy kept beside it. */
export function withRemedy(message: string, remedy: string): string {
  remedies.set(message, remedy);
  return message;
}

/** What `refine` takes: the sentence, and the remedy beside it. */
export function refusal(message: string, remedy: string): { message: string; params: { remedy: string } } {
  return { message, params: { remedy } };
}

/** Adds a fault from within a refinement. */
export function refuse(context: z.core.$RefinementCtx, path: Path, fault: Refusal): void {
  context.addIssue({ code: 'custom', path: [...path], message: fault.message, params: { remedy: fault.remedy } });
}

/** Hands on what a schema of a part has found. */
export function refuseAsFound(context: z.core.$RefinementCtx, finding: Finding): void {
  const { path, message, remedy, onKey, wantsText } = finding;
  context.addIssue({ code: 'custom', path: [...path], message, params: { remedy, onKey, wantsText } });
}

/** zod's issues as findings. `value` is what was parsed, to tell a missing key from a wrong one; it is never shown. */
export function findingsOf(error: z.core.$ZodError, value: unknown, prefix: Path): Finding[] {
  const found = error.issues.flatMap((issue) => findings(issue, value, prefix));
  const seen = new Set<string>();
  return found.filter((finding) => {
    const key = JSON.stringify([finding.path, finding.message]);
    return seen.has(key) ? false : seen.add(key);
  });
}

function findings(issue: z.core.$ZodIssue, value: unknown, prefix: Path): Finding[] {
  const steps = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  const path = [...prefix, ...steps];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(issue.message, [...path, key], key));
  if (issue.code === 'custom') {
    const remedy = typeof issue.params?.remedy === 'string' ? issue.params.remedy : 'Correct it.';
    const marks = {
      ...(issue.params?.onKey === true ? { onKey: true } : {}),
      ...(issue.params?.wantsText === true ? { wantsText: true } : {}),
    };
    return [{ path, message: issue.message, remedy, ...marks }];
  }
  const actual = valueAt(value, steps);
  const wantsText = issue.code === 'invalid_type' && issue.expected === 'string';
  const kept = remedies.get(issue.message);
  if (kept !== undefined && actual !== undefined) return [{ path, message: issue.message, remedy: kept }];
  // What was written in another form, as headers in pairs, is not found by its path.
  const isThere = actual !== undefined || (issue.code === 'invalid_type' && !issue.message.endsWith('undefined'));
  if (!isThere) return [missing(path)];
  if (actual === null) {
    return [{ path, message: 'is empty', remedy: 'Give it a value, or remove the key.', wantsText }];
  }
  if (!issue.message.startsWith('Invalid')) return [{ path, message: issue.message, remedy: `Correct it.`, wantsText }];
  if (issue.code === 'invalid_type') {
    const form = EXPECTED[issue.expected] ?? issue.expected;
    const isScalar = typeof actual !== 'object' || actual instanceof LongNumber;
    const remedy = wantsText && isScalar ? 'Put it in quotes.' : `Write ${form} here.`;
    return [{ path, message: `must be ${form}`, remedy, wantsText }];
  }
  if (issue.code === 'invalid_value') return [oneOf(path, actual, issue.values.map(String))];
  if (issue.code === 'invalid_union' && 'options' in issue && issue.options !== undefined) {
    return [oneOf(path, actual, issue.options.map(String))];
  }
  return [{ path, message: 'is not valid', remedy: 'Compare it with millrace.yaml.example.' }];
}

const EXPECTED: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping of keys to values',
  record: 'a mapping of keys to values',
  array: 'a list',
};

function oneOf(path: Path, actual: unknown, values: string[]): Finding {
  const close = typeof actual === 'string' ? nearest(actual, values) : undefined;
  const others = values.length === 1 ? 'Write that.' : 'Write one of these.';
  const remedy = close === undefined ? others : `Did you mean \`${close}\`?`;
  return { path, message: `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`, remedy };
}

function missing(path: Path): Finding {
  const key = String(path.at(-1) ?? '');
  return { path, message: 'is missing', remedy: `Add \`${key}:\`.` };
}

function unknownKey(mark: string, path: Path, key: string): Finding {
  const known = sections.get(mark);
  const refused = known && Object.hasOwn(known.refused, key) ? known.refused[key] : undefined;
  if (refused !== undefined) return { path, ...refused, onKey: true };
  const close = known === undefined ? undefined : nearest(key, known.keys);
  const remedy =
    close === undefined
      ? `Known keys here: ${known?.keys.join(', ') ?? 'none'}.`
      : `Did you mean \`${close}\`? Otherwise remove it.`;
  return { path, message: 'is not a known key', remedy, onKey: true };
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    return Reflect.get(at, step);
  }, value);
}
