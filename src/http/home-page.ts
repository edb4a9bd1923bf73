/**
 * The page at `/`, until there is a console: what /healthz says, for people. Plain HTML without scripts; everything that is
 * not ours is escaped, and the browser is told to run nothing else.
 */
import { createHash } from 'node:crypto';
import type { DatabaseHealth, Judged, SinkHealth } from '../messages/health.ts';

export interface Home {
  /** Undefined: the message database did not say. */
  health: { databases: readonly DatabaseHealth[]; sinks: readonly SinkHealth[] } | undefined;
  at: Date;
}

const STYLE = `
:root { color-scheme: light dark; --text: #1c2024; --faint: #60646c; --ground: #fcfcfd; --line: #d9d9e0; --good: #18794e; --bad: #c62a2f; --warn: #8a5a00; --rest: #60646c }
@media (prefers-color-scheme: dark) { :root { --text: #edeef0; --faint: #b0b4ba; --ground: #111113; --line: #363a3f; --good: #3dd68c; --bad: #ff9592; --warn: #ffca16; --rest: #b0b4ba } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 60rem; padding: 2.5rem 1.25rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.5rem } h2 { margin: 2.5rem 0 .5rem; font-size: 1.125rem }
p { margin: .25rem 0 } ul { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line) }
li { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .75rem 0; border-bottom: 1px solid var(--line) }
.name { flex: 1 1 12rem; font-weight: 600; overflow-wrap: anywhere } .about { flex: 1 1 12rem; color: var(--faint); overflow-wrap: anywhere }
.state { flex: 1 1 16rem } .state::before { content: "\\25CF"; margin-right: .5rem } .good { color: var(--good) } .bad { color: var(--bad) } .warn { color: var(--warn) } .rest { color: var(--rest) }
footer { margin-top: 2.5rem; color: var(--faint) } a { color: inherit } footer a { margin-right: 1rem }
`;

const HASH = createHash('sha256').update(STYLE).digest('base64');

/** What the browser is told beside the page. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  Vary: 'Accept',
};

const KINDS: Record<string, string> = {
  pull: 'pull consumer',
  search_index: 'search index',
  change_table: 'change table',
};

export function homePage(home: Home): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Millrace</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Millrace</h1>
<p>${escaped(summary(home))}</p>
${home.health === undefined ? '' : lists(home.health)}</main>
<footer>
<p><a href="/healthz">/healthz</a> <a href="/readyz">/readyz</a> <a href="/livez">/livez</a> <a href="/metrics">/metrics</a></p>
<p>As of ${time(home.at)}. For causes and remedies, ask the views of schema millrace: <code>bin/millrace sql "select * from millrace.sink_status"</code></p>
</footer>
</body>
</html>
`;
}

/** One sentence, also for who asks without a browser. */
export function summary({ health }: Home): string {
  if (health === undefined) return 'The message database cannot be reached, or has no schema yet.';
  const all = [...health.databases, ...health.sinks];
  const ill = all.filter(({ level }) => level !== 'ok').length;
  if (all.length === 0) return 'Nothing is declared yet.';
  if (ill === 0) return `All is well: ${count(health.databases, 'database')}, ${count(health.sinks, 'sink')}.`;
  return `${ill} of ${all.length} databases and sinks ${ill === 1 ? 'needs' : 'need'} attention.`;
}

const count = (list: readonly unknown[], name: string): string =>
  `${list.length} ${name}${list.length === 1 ? '' : 's'}`;

function lists({ databases, sinks }: NonNullable<Home['health']>): string {
  const shownDatabases = databases.map((one) =>
    item(one.name, '', {
      text: one.state ?? 'not read by any sink',
      since: one.state_since,
      mark: mark(one, one.state === 'streaming'),
      reasons: one.reasons.filter((code) => code !== one.state),
    }),
  );
  const shownSinks = sinks.map((one) =>
    item(one.name, `${KINDS[one.kind] ?? one.kind} of ${one.database}`, {
      text: one.health,
      since: one.failing_since,
      mark: mark(one, one.health === 'ok'),
      reasons: one.reasons.filter((code) => code !== one.health),
    }),
  );
  return `${list('Databases', shownDatabases)}${list('Sinks', shownSinks)}`;
}

const mark = ({ level }: Judged, works: boolean): string =>
  level === 'warning' ? 'warn' : level !== 'ok' ? 'bad' : works ? 'good' : 'rest';

const list = (title: string, items: string[]): string =>
  `<h2>${title}</h2>\n${items.length === 0 ? '<p>None.</p>' : `<ul>\n${items.join('\n')}\n</ul>`}\n`;

function item(
  name: string,
  about: string,
  state: { text: string; since: Date | null; mark: string; reasons: string[] },
): string {
  const since = state.since === null ? '' : ` since ${time(state.since)}`;
  const also = state.reasons.length === 0 ? '' : `; ${state.reasons.join(', ')}`;
  const shown = `${state.text}${since}${also}`.replaceAll('_', ' ');
  return `<li><span class="name">${escaped(name)}</span><span class="about">${escaped(about)}</span><span class="state ${state.mark}">${escaped(shown)}</span></li>`;
}

const time = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);
