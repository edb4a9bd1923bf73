/**
 * A management route as data: `http` mounts it, the documentation and the tests are held to it. What it does lives in
 * `admin` or `catalog`.
 */
import { z } from 'zod';
import type { ConfigDeps } from '../admin/apply-config.ts';
import type { Examination, ExamineRequest } from '../admin/doctor/examine.ts';
import type { ListedDatabase } from '../admin/list-databases.ts';
import type { ListedSink } from '../admin/list-sinks.ts';
import type { Client } from '../admin/log-in.ts';
import type { MessageGroups } from '../admin/message-groups.ts';
import type { Reaching } from '../admin/outside.ts';
import type { Overview } from '../admin/overview.ts';
import type { ReplayOptions, ReplayPreview } from '../admin/replay.ts';
import type { TryFunctions } from '../admin/try-functions.ts';
import type { Transacting } from '../db/pool.ts';
import type { By } from '../model/by.ts';
import type { Scope } from '../model/scope.ts';
import type { ShownSetting } from '../runtime/shown-settings.ts';
import type { Begun } from './begun.ts';
import type { Created } from './created.ts';
import type { Signed } from './signed.ts';

/** What routes call. */
export interface ApiDeps {
  /** For what is asked anew each time. Few requests have it at once, and no statement takes longer than some seconds. */
  db: Transacting;
  /** By name; a second old at most, however many ask. */
  sinks(): Promise<readonly ListedSink[]>;
  /** As `sinks`. */
  changeRetentions(): Promise<readonly ListedSink[]>;
  /** As `sinks`. */
  databases(): Promise<readonly ListedDatabase[]>;
  /** What the configuration as a whole is planned and applied with. `loopbackOnly`: a token may be weak. */
  config: ConfigDeps & { loopbackOnly: boolean };
  /** Some seconds old at most; takes up to 20. @throws MillraceError not_found, too_many_requests. */
  examine(request: ExamineRequest): Promise<Examination>;
  /** Looks into the change table, wherever that is. @throws MillraceError source_unavailable, invalid */
  previewReplay(options: ReplayOptions): Promise<ReplayPreview>;
  /** Of a sink, by its number; ten seconds old at most. */
  messageGroups(sinkNo: number): Promise<MessageGroups>;
  /** Connects to databases and destinations. @throws MillraceError too_many_requests, source_unavailable; what the work throws. */
  outside<Result>(work: Reaching<Result>): Promise<Result>;
  /** Functions tried on messages. */
  functions: TryFunctions;
  /** Two seconds old at most, and read only while somebody asks. */
  overview(): Promise<Overview>;
  /** What this process was started with. */
  settings(): readonly ShownSetting[];
}

/** Who asks. What it changes through `ApiDeps` is recorded in its name. */
export interface Asking {
  by: By;
  /** Of the HTTP request. */
  requestId: string;
  /** Never to be shown, stored or logged. */
  token: string;
  scopes: readonly string[];
  /** A person asks, who has logged in. */
  session?: SessionOf | undefined;
  client: Client;
  may(scope: Scope): boolean;
  /** `If-Match`: the versions of a thing that may be changed or deleted; null: whichever it has. */
  ifMatch: readonly number[] | null;
}

/** All that an answer which others may be given too knows of who asks. */
export type Permitted = Pick<Asking, 'may'>;

/** Of a person who has logged in. */
export interface SessionOf {
  id: string;
  userId: string;
  email: string;
  name: string | null;
  /** What the header `X-Millrace-Csrf` must say. */
  csrf: string;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export interface Route {
  method: Method;
  /** As express writes it: `/api/sinks/:sink`. */
  path: string;
  /** `any`: whoever has a token, or has logged in; `none`: everybody. */
  scope: Scope | 'any' | 'none';
  /** One line for people. */
  summary: string;
  /** The query string, with the parameters of the path; what is not in it is refused. */
  input: z.ZodObject;
  /** The body, a JSON object; no body at all is `{}`. Absent: none is read. */
  body?: z.ZodType;
  /** Keys of the body that lead to a list of JSON values: they come as RawJson, with every digit. */
  texts?: readonly string[];
  /** Of the body; 1 MB. */
  maxBytes?: number;
  answer: z.ZodType;
  /** Its answer may be `Begun`: 202. */
  begins?: true;
  /** Its answer may be `Created`, with this status: 200 where Sequin's clients compare with it. */
  creates?: 200 | 201;
  /** Whoever has the same scopes may be given the same answer: `shared`. */
  isShared?: true;
  /** What psql calls or shows of it; null: nothing. */
  sql: string | null;
  /** `input` as its schema has it, with `body`; what it returns fits `answer`, or is `Begun` or `Created`. @throws MillraceError */
  run(deps: ApiDeps, input: unknown, asking: Asking): Promise<unknown>;
}

interface Reading<Input extends z.ZodObject, Answer extends z.ZodType> extends Omit<Route, 'run' | 'body'> {
  method: 'GET';
  input: Input;
  answer: Answer;
  run(deps: ApiDeps, input: z.output<Input>, asking: Asking): Promise<z.input<Answer>>;
}

/** A route whose `run` takes what its schemas say, and answers so. */
export const route = <Input extends z.ZodObject, Answer extends z.ZodType>(typed: Reading<Input, Answer>): Route =>
  typed;

interface Sharing<Input extends z.ZodObject, Answer extends z.ZodType> extends Omit<Reading<Input, Answer>, 'run'> {
  run(deps: ApiDeps, input: z.output<Input>, asking: Permitted): Promise<z.input<Answer>>;
}

/** A route that many tabs ask again and again: its answer depends on nothing but `input` and the scopes of who asks. */
export const shared = <Input extends z.ZodObject, Answer extends z.ZodType>(typed: Sharing<Input, Answer>): Route => ({
  ...typed,
  isShared: true,
});

interface Writing<Input extends z.ZodObject, Body extends z.ZodType, Answer extends z.ZodType>
  extends Omit<Route, 'run'> {
  method: Exclude<Method, 'GET'>;
  input: Input;
  body: Body;
  answer: Answer;
  run(
    deps: ApiDeps,
    input: z.output<Input> & { body: z.output<Body> },
    asking: Asking,
  ): Promise<z.input<Answer> | Begun<z.input<Answer>> | Created<z.input<Answer>> | Signed<z.input<Answer>>>;
}

/** One that changes something. */
export const writing = <Input extends z.ZodObject, Body extends z.ZodType, Answer extends z.ZodType>(
  typed: Writing<Input, Body, Answer>,
): Route => typed;

/** Of a route that needs nothing beside its path. */
export const NO_BODY = z.strictObject({});

/** A thing in a path: its name or its id. */
export const REF = z.string().min(1);
