/**
 * A management route as data: `http` mounts it, the documentation and the tests are held to it. What it does lives in
 * `admin` or `catalog`.
 */
import type { z } from 'zod';
import type { ListedSink } from '../admin/list-sinks.ts';

/** What a token must be allowed to do; `admin` may do everything. */
export type Scope = 'read' | 'admin';

/** What routes call. */
export interface ApiDeps {
  /** By name; a second old at most, however many ask. */
  sinks(): Promise<readonly ListedSink[]>;
}

/** Who asks. */
export interface Asking {
  isAdmin: boolean;
}

export interface Route {
  method: 'GET';
  /** As express writes it: `/api/sinks/:sink`. */
  path: string;
  scope: Scope;
  /** One line for people. */
  summary: string;
  /** The query string, with the parameters of the path; what is not in it is refused. */
  input: z.ZodObject;
  answer: z.ZodType;
  /** What psql shows of it. */
  sql: string;
  /** `input` as its schema has it; what it returns fits `answer`. @throws MillraceError */
  run(deps: ApiDeps, input: unknown, asking: Asking): Promise<unknown>;
}

interface Typed<Input extends z.ZodObject, Answer extends z.ZodType> extends Omit<Route, 'run'> {
  input: Input;
  answer: Answer;
  run(deps: ApiDeps, input: z.output<Input>, asking: Asking): Promise<z.input<Answer>>;
}

/** A route whose `run` takes what its schemas say, and answers so. */
export const route = <Input extends z.ZodObject, Answer extends z.ZodType>(typed: Typed<Input, Answer>): Route => typed;
