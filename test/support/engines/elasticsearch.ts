/**
 * A real Elasticsearch 8.19.7 with security, without Docker: the build that Maven Central keeps for integration tests, run
 * by the machine's Java (17 or newer). Needs `mvn` with a connection the first time (100 MB below node_modules/.cache)
 * and `unzip`. It refuses to run as root: then it runs as nobody.
 */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, appendFile, chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../src/runtime/free-port.ts';
import { answers, runEngine, type SearchEngine } from './engine-process.ts';

export interface SecuredEngine extends SearchEngine {
  /** `user:password` of a superuser, of a role that reads and writes `products-*`, and of one that neither deletes nor makes indexes there. */
  users: { admin: string; writer: string; adder: string };
  /** May write `logs-*` and not search it. */
  serviceToken: string;
}

const VERSION = '8.19.7';
const CACHE = join(import.meta.dirname, `../../../node_modules/.cache/elasticsearch-${VERSION}`);
const ZIP = join(CACHE, `elasticsearch-${VERSION}.zip`);
const ARTIFACT = `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${VERSION}:zip`;
const NOBODY = 65_534;
const ROLES = `writer:
  indices:
    - names: [ 'products-*' ]
      privileges: [ 'read', 'write', 'create_index' ]
adder:
  indices:
    - names: [ 'products-*' ]
      privileges: [ 'read', 'index' ]
`;

const run = promisify(execFile);

/** Why the engine cannot run on this machine, in one line; undefined when it can. */
export async function elasticsearchObstacle(): Promise<string | undefined> {
  if (!(await answers('java', ['-version'])))
    return 'Elasticsearch is not tested: no java (17 or newer) on this machine';
  if (!(await answers('unzip', ['-v']))) return 'Elasticsearch is not tested: no unzip on this machine';
  if ((await isCached()) || (await answers('mvn', ['--version']))) return undefined;
  return 'Elasticsearch is not tested: no mvn on this machine to fetch it with';
}

/** Starts a cluster of one node on a free port, with its users and a service token. */
export async function startElasticsearch(): Promise<SecuredEngine> {
  await fetchElasticsearch();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-elasticsearch-'));
  await run('unzip', ['-q', ZIP, '-d', folder]);
  const home = join(folder, `elasticsearch-${VERSION}`);
  const clusterName = `millrace-${randomUUID()}`;
  const port = await freePort();
  await configure(home, clusterName, [port, await freePort()]);
  await chmod(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) await run('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    ES_JAVA_HOME: await javaHome(),
    ES_JAVA_OPTS: '-Xms512m -Xmx512m',
  };
  const tool = (name: string, options: string[]) => run(join(home, 'bin', name), options, { ...owner, env, cwd: home });
  const users = { admin: '', writer: '', adder: '' };
  for (const [user, role] of [
    ['admin', 'superuser'],
    ['writer', 'writer'],
    ['adder', 'adder'],
  ] as const) {
    const password = randomUUID();
    await tool('elasticsearch-users', ['useradd', user, '-p', password, '-r', role]);
    users[user] = `${user}:${password}`;
  }
  const made = await tool('elasticsearch-service-tokens', ['create', 'elastic/fleet-server', 'test']);
  const serviceToken = / = (\S+)/.exec(made.stdout)?.[1];
  if (serviceToken === undefined) throw new Error('elasticsearch-service-tokens printed no token');
  const child = spawn(join(home, 'bin/elasticsearch'), [], { ...owner, env, cwd: home, stdio: 'ignore' });
  const start = { url: `http://127.0.0.1:${port}`, clusterName, folder, authorization: basic(users.admin) };
  return { ...(await runEngine(child, start)), users, serviceToken };
}

export function basic(userAndPassword: string): string {
  return `Basic ${Buffer.from(userAndPassword).toString('base64')}`;
}

async function configure(home: string, clusterName: string, [port, transportPort]: [number, number]): Promise<void> {
  const settings = {
    'cluster.name': clusterName,
    'discovery.type': 'single-node',
    'http.port': port,
    'transport.port': transportPort,
    'action.auto_create_index': false,
    'xpack.security.enabled': true,
    'xpack.security.http.ssl.enabled': false,
    'xpack.security.transport.ssl.enabled': false,
    'xpack.security.autoconfiguration.enabled': false,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${value}\n`);
  await writeFile(join(home, 'config/elasticsearch.yml'), lines.join(''));
  await appendFile(join(home, 'config/roles.yml'), ROLES);
  await run('sh', ['-c', 'chmod +x bin/*'], { cwd: home });
}

async function javaHome(): Promise<string> {
  const { stderr } = await run('java', ['-XshowSettings:properties', '-version']);
  const home = /java\.home = (.+)/.exec(stderr)?.[1];
  if (home === undefined) throw new Error('java does not say where it lives');
  return home.trim();
}

async function isCached(): Promise<boolean> {
  return access(ZIP).then(
    () => true,
    () => false,
  );
}

/** Nothing where it is there. */
export async function fetchElasticsearch(): Promise<void> {
  if (await isCached()) return;
  await mkdir(CACHE, { recursive: true });
  const goal = ['-q', '-B', 'dependency:copy', `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${CACHE}`];
  await run('mvn', goal, { cwd: CACHE, timeout: 600_000 });
}
