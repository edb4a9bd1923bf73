/**
 * The pull API: receive, ack, nack, extend, under this service's path and under that of the system its clients may come
 * from. Fields that we do not know are ignored, so that those clients work unchanged. The functions behind it are those
 * of psql; nothing here parses a stored message.
 */
import type { Request, RequestHandler, Response } from 'express';
import type { Counters } from '../../messages/counters.ts';
import { MillraceError } from '../../model/errors.ts';
import type { Answered } from '../../receive/acknowledge.ts';
import { type AnswerDeps, acknowledge, type PutBack, putBack } from '../../receive/answer.ts';
import type { Consumer, Consumers } from '../../receive/consumer.ts';
import type { Client } from '../../receive/desks.ts';
import type { Lease } from '../../receive/lease.ts';
import type { Readers } from '../../receive/readers.ts';
import { receive } from '../../receive/receive.ts';
import type { Places } from '../../runtime/concurrency/places.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { type Admission, type AdmissionOptions, createAdmission } from '../admission.ts';
import { type Body, end, sendJson, sendText, sizeOf } from '../answer.ts';
import { type Caller, type FindToken, findAgain, identify, mayAskFor, refusalOf } from '../auth.ts';
import { bodyBytes, jsonText, parsedBody } from '../body.ts';
import { clientOf } from '../client-address.ts';
import type { AskedConsumer, Revoked } from '../revoked.ts';
import { type Mount, methodNotAllowed } from '../route.ts';
import type { ServerLog } from '../server.ts';
import { createUnread } from '../unread.ts';
import { readAck, readExtend, readNack, readReceive } from './pull-input.ts';

export interface PullDependencies extends AnswerDeps {
  consumers: Consumers;
  findToken: FindToken;
  log: ServerLog;
  /** Shares the connections of `db` among consumers and tokens. */
  places: Places;
  revoked: Revoked;
  metrics?: Metrics | undefined;
  counters: Counters;
  readers: Readers;
}

export interface PullOptions {
  /** Waits longer than this begin their reply early; 20,000. */
  longWaitMs?: number;
  /** Milliseconds between two blanks of such a reply; 15,000. */
  blankEveryMs?: number;
  admission?: AdmissionOptions;
  /** Before us, which say where a request comes from; 0. */
  proxies?: number | undefined;
}

/** Who asks for which consumer. */
interface Asking extends AskedConsumer {
  caller: Caller;
  /** In whose names it takes places. */
  names: readonly string[];
  /** Tells when this token was seen last. */
  note(what: 'received' | 'acked'): void;
  /** It is not counted as a request under way any more. Safe to call twice. */
  leave(): void;
}

const PREFIXES = ['/api/http_pull_consumers', '/api/sequin_streams'];
const EMPTY = '{"data":[]}';
const SMALL_BODY = 16 * 1024;

/** The routes, to be mounted on the server. */
export function pullRoutes(deps: PullDependencies, options: PullOptions = {}): Mount {
  const counters = countersOf(deps.metrics, deps.counters);
  const authorise = authoriseWith(deps, {
    admission: createAdmission(options.admission),
    proxies: options.proxies ?? 0,
  });
  const onReceive = receiveWith(deps, { ...options, counters });
  const onAck: RequestHandler = async (request, response) => {
    const { consumer, caller, names, note } = askingOf(response);
    const { ackIds } = readAck(await bodyOf(deps.places, request, names));
    const client: Client = { names, mayStill: () => confirm(deps.findToken, caller, consumer) };
    const answered = await acknowledge(deps, consumer, { ackIds, client });
    counters.acked(consumer, answered);
    note('acked');
    sendJson(response, 200, { success: true, count: answered.count });
  };
  const onPutBack =
    (read: (body: unknown) => PutBack): RequestHandler =>
    async (request, response) => {
      const { consumer, caller, names } = askingOf(response);
      const [{ what }, count] = await deps.places.take(names, async () => {
        await confirm(deps.findToken, caller, consumer);
        const given = read(parsedBody(request));
        return [given, await putBack(deps, consumer, given)] as const;
      });
      counters.putBack(consumer, what, count);
      sendJson(response, 200, { success: true, count });
    };

  return (router) => {
    for (const prefix of PREFIXES) {
      router
        .route(`${prefix}/:consumer/receive`)
        // Before get: a HEAD would lease messages and show none.
        .head(methodNotAllowed('GET', 'POST'))
        .get(authorise, onReceive)
        .post(authorise, jsonText, onReceive)
        .all(methodNotAllowed('GET', 'POST'));
      const answers: [string, RequestHandler][] = [
        ['ack', onAck],
        ['nack', onPutBack((body) => ({ what: 'nack', ...readNack(body) }))],
        ['extend', onPutBack((body) => ({ what: 'extend', ...readExtend(body) }))],
      ];
      for (const [verb, handler] of answers) {
        router.route(`${prefix}/:consumer/${verb}`).post(authorise, jsonText, handler).all(methodNotAllowed('POST'));
      }
    }
  };
}

/**
 * Who asks, for which consumer, and may it? A token for one consumer learns nothing about the others. Then it is counted
 * among those under way.
 */
function authoriseWith(
  { findToken, consumers, places, readers }: PullDependencies,
  { admission, proxies }: { admission: Admission; proxies: number },
): RequestHandler {
  return async (request, response, next) => {
    const caller = await identify(findToken, request);
    const tokenName = `token ${caller.token}`;
    const nameOrId = String(request.params.consumer);
    // Who is refused anyway has nothing looked up: how long that takes would tell what there is.
    if (!mayAskFor(caller, nameOrId)) throw refusalOf(caller, undefined);
    const consumer = consumers.known(nameOrId) ?? (await places.take([tokenName], () => consumers.find(nameOrId)));
    const refusal = refusalOf(caller, consumer);
    if (consumer === undefined || refusal !== undefined) throw refusal;
    const names = [`consumer ${consumer.no}`, tokenName];
    const leave = admission.enter(names, bodyBytes(request));
    response.once('close', leave);
    const { address } = clientOf(request, proxies);
    const note: Asking['note'] = (what) => readers.note({ sinkNo: consumer.no, token: caller.by.name, address }, what);
    response.locals.asking = { nameOrId, consumer, caller, names, note, leave } satisfies Asking;
    next();
  };
}

const askingOf = (response: Response): Asking => response.locals.asking as Asking;

/** Once more when its turn has come: between the two it waited, or sent its body. */
async function confirm(findToken: FindToken, caller: Caller, consumer: Consumer): Promise<true> {
  const refusal = refusalOf(await findAgain(findToken, caller), consumer);
  if (refusal !== undefined) throw refusal;
  return true;
}

/** Parsed when it is its turn, if that takes a while. */
async function bodyOf(places: Places, request: Request, names: readonly string[]): Promise<unknown> {
  return bodyBytes(request) <= SMALL_BODY
    ? parsedBody(request)
    : await places.take(names, async () => parsedBody(request));
}

function receiveWith(deps: PullDependencies, options: PullOptions & { counters: PullCounters }): RequestHandler {
  const unread = createUnread();
  return async (request, response) => {
    const asking = askingOf(response);
    const { consumer, caller, names, note, leave } = asking;
    const body =
      request.method === 'GET' ? { ...request.query, ack_ids: null } : await bodyOf(deps.places, request, names);
    const { batchSize, waitForMs, ackIds } = readReceive(body);
    if (unread.room(consumer.no) <= 0) throw tooMuchUnread();
    const gone = hangUpOf(request, response);
    const watch = deps.revoked.watch(caller, asking, (refusal) => gone.abort(refusal));
    const blanks = waitForMs > (options.longWaitMs ?? 20_000) ? sendBlanks(response, options.blankEveryMs) : undefined;
    try {
      note('received');
      const { lease, acked } = await receive(deps, consumer, {
        client: { names, mayStill: watch.mayStill },
        batchSize,
        ackIds: ackIds ?? [],
        waitForMs,
        signal: gone.signal,
        maxBytes: () => Math.max(1, unread.room(consumer.no)),
        onAcked(answered) {
          options.counters.acked(consumer, answered);
          if (ackIds !== null) note('acked');
        },
        onWait: leave,
      });
      // It may have waited for minutes.
      note('received');
      if (lease === undefined && gone.signal.reason instanceof MillraceError) throw gone.signal.reason;
      const body = bodyOfReceive(lease, ackIds === null ? undefined : acked.count);
      if (lease !== undefined) {
        options.counters.received(consumer, lease.count);
        // Cut off before it was sent, or meanwhile: the client cannot have read it.
        const giveBack = (): void => {
          if (!response.writableFinished) void deps.wakeups.giveBack(consumer, lease);
        };
        if (response.destroyed) giveBack();
        else response.once('close', giveBack);
      }
      finish(response, body);
      unread.count(consumer.no, sizeOf(body), response);
    } catch (error) {
      if (!response.headersSent) throw error;
      if (error !== gone.signal.reason) {
        deps.log.warn({ request_id: response.locals.requestId, err: error }, 'a receive failed after its reply began');
      }
      finish(response, EMPTY);
    } finally {
      clearInterval(blanks);
      watch.end();
    }
  };
}

function tooMuchUnread(): MillraceError {
  return new MillraceError('too_many_requests', 'Clients of this consumer have not read the answers they were sent', {
    remedy: 'Read them, or ask for fewer messages at once.',
  });
}

/** Routers cut connections that are silent for half a minute; JSON may begin with white space. */
function sendBlanks(response: Response, everyMs = 15_000): NodeJS.Timeout {
  return setInterval(() => {
    if (!response.headersSent) {
      response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
    }
    response.write(' ');
  }, everyMs);
}

function finish(response: Response, body: Body): void {
  if (response.headersSent) end(response, body);
  else sendText(response, 200, body);
}

const OPEN = '{"data":[';

function bodyOfReceive(lease: Lease | undefined, acked: number | undefined): Body {
  const messages = lease?.messages ?? '';
  const close = acked === undefined ? ']}' : `],"acked":${acked}}`;
  return typeof messages === 'string'
    ? `${OPEN}${messages}${close}`
    : [Buffer.from(OPEN), ...messages, Buffer.from(close)];
}

/** Aborts when the client hangs up. */
function hangUpOf(request: Request, response: Response): AbortController {
  const controller = new AbortController();
  if (request.socket.destroyed) controller.abort();
  response.once('close', () => {
    if (!response.writableEnded) controller.abort();
  });
  return controller;
}

interface PullCounters {
  received(consumer: Consumer, count: number): void;
  acked(consumer: Consumer, answered: Answered): void;
  putBack(consumer: Consumer, what: PutBack['what'], count: number): void;
}

function countersOf(metrics: Metrics | undefined, counters: Counters): PullCounters {
  const received = metrics?.counter({
    name: 'received_messages_total',
    help: 'Messages handed out by receive over HTTP',
    labels: ['consumer'],
  });
  const answered = metrics?.counter({
    name: 'answered_messages_total',
    help: 'Messages that clients acknowledged, gave back or extended over HTTP',
    labels: ['consumer', 'answer'],
  });
  return {
    received: (consumer, count) => received?.inc({ consumer: consumer.name }, count),
    acked(consumer, { count, latencies }) {
      if (count === 0) return;
      answered?.inc({ consumer: consumer.name, answer: 'ack' }, count);
      counters.add(consumer.no, { delivered: count });
      counters.took(consumer.no, latencies);
    },
    putBack(consumer, what, count) {
      answered?.inc({ consumer: consumer.name, answer: what }, count);
      if (what === 'nack') counters.add(consumer.no, { failed: count, retried: count });
    },
  };
}
