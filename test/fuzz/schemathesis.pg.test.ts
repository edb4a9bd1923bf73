/**
 * The management API attacked by schemathesis, from its own OpenAPI document: what fits the schemas and what does not, each
 * route alone and routes after one another. It needs schemathesis 4 (`pip install schemathesis`), named by
 * MILLRACE_SCHEMATHESIS or on the path. MILLRACE_FUZZ_SECONDS: how long, 20; SEED: what it draws from.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { findProgram } from '../../src/runtime/find-program.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, TOKEN, type World } from '../support/processes/world.ts';

const SECONDS = Number(process.env.MILLRACE_FUZZ_SECONDS ?? 20);
const SEED = process.env.SEED ?? '1';

/**
 * What is valid by its schema may not be so by what is there. Routes are tried on things that exist, but those that delete: what
 * they delete they have made. The token that all of it is done with is not revoked.
 */
const CONFIG = `
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "403", "404", "409", "412", "422", "429", "502"]

# A name of 16 kB is more than an address takes.
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "415", "422", "428", "429", "431", "5xx"]

[[operations]]
include-path-regex = "^/api/sinks/"
exclude-method = "DELETE"
parameters = { "path.sink" = "orders" }

[[operations]]
include-path-regex = "^/api/change_retentions/"
exclude-method = "DELETE"
parameters = { "path.sink" = "history" }

[[operations]]
include-path-regex = "^/api/postgres_databases/"
exclude-method = "DELETE"
parameters = { "path.database" = "shop", "path.table" = "public.items" }

[[operations]]
include-path-regex = "^/api/functions/"
exclude-method = "DELETE"
parameters = { "path.function" = "document" }

# Who may not come in is told so; and what a link hands over as a number is a string in a path.
[[operations]]
include-path-regex = "^/api/(sessions|setup)$"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "422", "429"]

[[operations]]
include-path-regex = "/messages/[{]id[}]"
[operations.checks.negative_data_rejection]
enabled = false

[[operations]]
include-name = "DELETE /api/api_keys/{id}"
enabled = false
`;

const yaml = `
functions: [{ name: document, type: transform, code: "(action, record) => record" }]
sinks:
  - { name: orders, database: shop, source: { include_tables: [items] }, destination: { type: pull } }
change_retentions:
  - { name: history, source_database: shop, source_table_name: items, destination_database: home, destination_table_name: items_events, create_if_not_exists: true }
`;

describe('the API from outside', function () {
  this.timeout((SECONDS + 120) * 1_000);
  const program = process.env.MILLRACE_SCHEMATHESIS || 'st';
  let folder: string;
  let world: World;
  let service: TestService;

  before(async function () {
    if (!path.isAbsolute(program) && !(await findProgram(program))) {
      console.log('    schemathesis is not installed: the API is not attacked (pip install schemathesis)');
      return this.skip();
    }
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-fuzz-'));
    world = await createWorld(
      "create table items (id int primary key, name text); insert into items select i, 'x' from generate_series(1, 20) i",
    );
    service = await startService({ databaseUrl: world.messagesUrl, yaml: world.yaml + yaml });
  });
  after(async () => {
    await stopServices();
    await world?.drop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('no answer is an error of ours, and each is as its document says', async () => {
    await writeFile(path.join(folder, 'schemathesis.toml'), CONFIG);
    const options = ['-H', `Authorization: Bearer ${TOKEN}`, '--max-time', String(SECONDS), '--seed', SEED];
    const child = spawn(
      program,
      ['--config-file', 'schemathesis.toml', 'run', `${service.url}/api/openapi.json`, ...options, '--no-color'],
      { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const { code, printed } = await ended(child);
    if (process.env.TEST_LOG) console.log(printed);
    expect(code, printed.slice(-20_000)).to.equal(0);
    expect((await fetch(`${service.url}/livez`)).status).to.equal(200);
  });
});

async function ended(child: ChildProcess): Promise<{ code: number; printed: string }> {
  let printed = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (printed += chunk));
  const [code] = await once(child, 'close');
  return { code, printed };
}
