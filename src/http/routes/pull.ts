/**
 * The pull API: receive, ack, nack, extend, under this service's path and under that of the system its clients may come
 * from. Fields that we do not know are ignored, so that those clients work unchanged. The functions behind it are those
 * of psql; nothing here parses a stored message.
 */
import type { Express, Request, RequestHandler, Response } from 'express';
import { MillraceError } from '../../model/errors.ts';
import { type Answer, answer } from '../../receive/answer.ts';
import type { Consumer, Consumers } from '../../receive/consumer.ts';
import type { Lines } from '../../receive/lines.ts';
import { type ReceiveDependencies, receive } from '../../receive/receive.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { sendJson, sendText } from '../answer.ts';
import { type FindToken, forbidden, identify, mayConsume } from '../auth.ts';
import { jsonBody } from '../body.ts';
import { type Mount, methodNotAllowed } from '../route.ts';
import type { ServerLog } from '../server.ts';
import { validate } from '../validate.ts';
import { ackBody, extendBody, nackBody, receiveInput } from './pull-schemas.ts';

export interface PullDependencies {
  db: ReceiveDependencies['db'];
  lines: Lines;
  consumers: Consumers;
  findToken: FindToken;
  log: ServerLog;
  metrics?: Metrics | undefined;
}

export interface PullOptions {
  /** Waits longer than this begin their reply early; 20,000. */
  longWaitMs?: number;
  /** Milliseconds between two blanks of such a reply; 15,000. */
  blankEveryMs?: number;
}

const PREFIXES = ['/api/http_pull_consumers', '/api/sequin_streams'];
const EMPTY = '{"data":[]}';

/** The routes, to be mounted on the server. */
export function pullRoutes(deps: PullDependencies, options: PullOptions = {}): Mount {
  const counters = countersOf(deps.metrics);
  const authorise = authoriseWith(deps);
  const onReceive = receiveWith(deps, { ...options, received: counters.received });
  const onAnswer =
    (read: (body: unknown) => Answer): RequestHandler =>
    async (request, response) => {
      const consumer = consumerOf(response);
      const given = read(request.body);
      const count = await answer(deps, consumer, given);
      counters.answered(consumer, given.what, count);
      sendJson(response, 200, { success: true, count });
    };

  return (app: Express) => {
    for (const prefix of PREFIXES) {
      app
        .route(`${prefix}/:consumer/receive`)
        // Before get: a HEAD would lease messages and show none.
        .head(methodNotAllowed('GET', 'POST'))
        .get(authorise, onReceive)
        .post(authorise, jsonBody, onReceive)
        .all(methodNotAllowed('GET', 'POST'));
      const answers: [string, (body: unknown) => Answer][] = [
        ['ack', readAck],
        ['nack', readNack],
        ['extend', readExtend],
      ];
      for (const [verb, read] of answers) {
        app
          .route(`${prefix}/:consumer/${verb}`)
          .post(authorise, jsonBody, onAnswer(read))
          .all(methodNotAllowed('POST'));
      }
    }
  };
}

const readAck = (body: unknown): Answer => ({ what: 'ack', ackIds: validate(ackBody, body).ack_ids });

function readNack(body: unknown): Answer {
  const { ack_ids: ackIds, delay: delayMs } = validate(nackBody, body);
  return { what: 'nack', ackIds, delayMs };
}

function readExtend(body: unknown): Answer {
  const { ack_ids: ackIds, visibility_timeout: visibilityTimeoutMs } = validate(extendBody, body);
  return { what: 'extend', ackIds, visibilityTimeoutMs };
}

/** Who asks, for which consumer, and may it? A token for one consumer learns nothing about the others. */
function authoriseWith({ findToken, consumers }: PullDependencies): RequestHandler {
  return async (request, response, next) => {
    const scopes = await identify(findToken, request);
    const consumer = await consumers.find(String(request.params.consumer));
    if (consumer === undefined && scopes.includes('admin')) {
      throw new MillraceError('not_found', 'There is no pull consumer of this name or id');
    }
    if (consumer === undefined || !mayConsume(scopes, consumer.name)) throw forbidden();
    response.locals.consumer = consumer;
    next();
  };
}

const consumerOf = (response: Response): Consumer => response.locals.consumer as Consumer;

function receiveWith(
  deps: PullDependencies,
  options: PullOptions & { received: (consumer: Consumer, count: number) => void },
): RequestHandler {
  return async (request, response) => {
    const consumer = consumerOf(response);
    const input = validate(receiveInput, request.method === 'GET' ? request.query : request.body);
    const waitForMs = input.wait_for;
    const signal = hangUpOf(request, response);
    const blanks = waitForMs > (options.longWaitMs ?? 20_000) ? sendBlanks(response, options.blankEveryMs) : undefined;
    try {
      const lease = await receive(deps, consumer, { batchSize: input.batch_size, waitForMs, signal });
      if (lease !== undefined) {
        options.received(consumer, lease.count);
        // Cut off while it was being sent: the client cannot have read it.
        response.once('close', () => {
          if (!response.writableFinished) void deps.lines.giveBack(consumer.no, lease);
        });
      }
      end(response, lease === undefined ? EMPTY : `{"data":[${lease.messages}]}`);
    } catch (error) {
      if (!response.headersSent) throw error;
      deps.log.warn({ request_id: response.locals.requestId, err: error }, 'a receive failed after its reply began');
      end(response, EMPTY);
    } finally {
      clearInterval(blanks);
    }
  };
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

function end(response: Response, text: string): void {
  if (response.headersSent) response.end(text);
  else sendText(response, 200, text);
}

function hangUpOf(request: Request, response: Response): AbortSignal {
  const controller = new AbortController();
  if (request.socket.destroyed) controller.abort();
  response.once('close', () => {
    if (!response.writableEnded) controller.abort();
  });
  return controller.signal;
}

function countersOf(metrics: Metrics | undefined): {
  received: (consumer: Consumer, count: number) => void;
  answered: (consumer: Consumer, what: Answer['what'], count: number) => void;
} {
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
    answered: (consumer, what, count) => answered?.inc({ consumer: consumer.name, answer: what }, count),
  };
}
