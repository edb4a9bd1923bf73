/**
 * Sequin's way to write an address: `http_endpoints:` beside the sinks, and destinations that name one of them with
 * `http_endpoint` and `http_endpoint_path`. It is read into the destination's own keys (`url`, `headers`,
 * `encrypted_headers`), and is no thing of its own. What such a destination leaves out is as there: its endpoint may rely on it.
 */
import { z } from 'zod';
import { type Finding, nearest } from '../../model/finding.ts';
import { Name, Text } from '../../model/scalars.ts';
import { findingsOf, section } from '../../model/section.ts';
import { withoutTrailing } from '../../model/trailing.ts';

const elsewhere = { message: 'is not an address', remedy: 'Write `url:`.' };

/** What its headers may be, the destination says that takes them. */
const HttpEndpoint = section(
  'http_endpoints[]',
  { name: Name, url: Text, headers: z.unknown().optional(), encrypted_headers: z.unknown().optional() },
  { local: elsewhere, 'webhook.site': elsewhere, path: elsewhere },
);

type Item = Record<string, unknown>;

/** Their defaults: `{"data": [...]}` of one message, of which many endpoints read nothing but the first. */
const THEIRS = { batch: true, batch_size: 1, timeout_ms: 30_000 };

/** The declaration with every such destination written out. What was written is not changed. */
export function withEndpoints(raw: unknown): { raw: unknown; faults: Finding[] } {
  if (!isObject(raw) || !Array.isArray(raw.sinks)) return { raw, faults: [] };
  const faults: Finding[] = [];
  const endpoints = new Map<string, z.output<typeof HttpEndpoint>>();
  const list: unknown[] = Array.isArray(raw.http_endpoints) ? raw.http_endpoints : [];
  for (const [index, item] of list.entries()) {
    const parsed = HttpEndpoint.safeParse(item);
    const at = ['http_endpoints', index];
    if (!parsed.success) faults.push(...findingsOf(parsed.error, item, at));
    else if (endpoints.has(parsed.data.name)) {
      const message = 'is the name of an endpoint above';
      faults.push({ path: [...at, 'name'], message, remedy: 'Give it another name.' });
    } else endpoints.set(parsed.data.name, parsed.data);
  }
  const sinks = raw.sinks.map((sink: unknown, index) => {
    if (!isObject(sink) || !isObject(sink.destination) || !('http_endpoint' in sink.destination)) return sink;
    const { http_endpoint: name, http_endpoint_path: path = null, ...rest } = sink.destination;
    const at = ['sinks', index, 'destination'];
    const endpoint = typeof name === 'string' ? endpoints.get(name) : undefined;
    if (endpoint === undefined) faults.push(unknownEndpoint([...at, 'http_endpoint'], name, [...endpoints.keys()]));
    if (rest.url !== undefined) {
      const message = 'is given together with `http_endpoint`';
      faults.push({ path: [...at, 'url'], message, remedy: 'Keep one of the two.' });
    }
    if (path !== null && typeof path !== 'string') {
      const remedy = 'Write what follows the address of the endpoint, as /orders.';
      faults.push({ path: [...at, 'http_endpoint_path'], message: 'must be a text', remedy });
    }
    const url = joined(endpoint?.url ?? 'http://unknown', pathOf(path));
    const { headers, encrypted_headers } = endpoint ?? {};
    const own = {
      ...(headers === undefined ? {} : { headers }),
      ...(encrypted_headers === undefined ? {} : { encrypted_headers }),
    };
    const size = sink.batch_size ?? THEIRS.batch_size;
    return { ...sink, destination: { ...THEIRS, batch_size: size, ...own, ...rest, url } };
  });
  return { raw: { ...raw, sinks }, faults };
}

function unknownEndpoint(path: Finding['path'], name: unknown, known: string[]): Finding {
  const close = typeof name === 'string' ? nearest(name, known) : undefined;
  const remedy =
    close === undefined ? 'Declare it under `http_endpoints`, or write `url:`.' : `Did you mean \`${close}\`?`;
  return { path, message: 'names no entry of `http_endpoints`', remedy };
}

/** An address of its own keeps its last slash: without it, it may be another one. */
const joined = (url: string, path: string): string => (path === '' ? url : `${withoutTrailing(url, '/')}${path}`);

function pathOf(path: unknown): string {
  if (typeof path !== 'string' || path === '') return '';
  return path.startsWith('/') || path.startsWith('?') ? path : `/${path}`;
}

function isObject(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
