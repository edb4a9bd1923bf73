/**
 * Starts the sandbox process and holds its one handle. It gets an empty environment and may read only what it is loaded from; no
 * writing, no processes, no workers (`--allow-addons` is for isolated-vm); and what the machine has beyond that
 * (confinement.ts). `exited` is told once, however it ends.
 */
import { type ForkOptions, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { confinement, withoutLayers } from './confinement.ts';
import { type Frame, FrameReader, FrameWriter, PIPE } from './protocol/frame.ts';
import { FRAME_BYTES, type SandboxLimits } from './protocol/limits.ts';
import type { FromProcess, ToProcess } from './protocol/messages.ts';

export interface SandboxProcess {
  readonly pid: number | undefined;
  /** What it was started by way of. */
  readonly wrap: readonly string[];
  /** `pieces`: of the text beside it. */
  send(message: ToProcess, pieces?: readonly string[]): void;
  kill(): void;
}

export interface ProcessEvents {
  /** `text`: what came beside it. */
  message(message: FromProcess, text: string): void;
  /** `why`: how it ended, and what it wrote to stderr if it never got ready. */
  exited(why: string): void;
}

export type StartProcess = (events: ProcessEvents, limits: SandboxLimits) => SandboxProcess;

const own = (folder: string, names: readonly string[]): string[] => names.map((name) => `${folder}/${name}.ts`);

/** Below `src/`: every source that the process loads, and no other. */
export const SOURCES: readonly string[] = [
  ...own('model', ['errors', 'outside-text']),
  ...own('transform/process', ['answer-lines', 'compile', 'forms', 'freeze', 'function-runner', 'garbage']),
  ...own('transform/process', ['guard-regexp', 'leave-root', 'main', 'measure', 'read-numbers', 'realm', 'runtime']),
  ...own('transform/process', ['strip', 'trial', 'write-numbers']),
  ...own('transform/protocol', ['answer', 'complaint', 'digits', 'frame', 'item', 'limits', 'verdict']),
];

export const startProcess: StartProcess = (events, limits) => {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const addon = addonIn(here);
  const around = confinement();
  const account = around.account === undefined ? '' : String(around.account);
  const child = fork(path.join(here, 'process/main.ts'), [addon.main, account], confined(addon.readable, around.wrap));
  let ready = false;
  let complaint = '';
  const starting = setTimeout(() => child.kill('SIGKILL'), limits.startMs);
  // Later than that, V8's last words may hold the user's values: read, so that the pipe does not fill up, and dropped.
  child.stderr?.on('data', (text: Buffer) => {
    if (!ready && complaint.length < 2000) complaint += text.toString();
  });
  // None when no file could be opened any more, and so no process was started: `error` says that.
  const pipe = child.stdio?.[PIPE] as Socket | undefined;
  const writer = pipe && new FrameWriter(pipe);
  const reader = new FrameReader(FRAME_BYTES);
  const framesOf = (bytes: Buffer): Frame[] => {
    try {
      return reader.push(bytes);
    } catch {
      // Something else than our sources writes to it.
      pipe?.destroy();
      child.kill('SIGKILL');
      return [];
    }
  };
  pipe?.on('data', (bytes: Buffer) => {
    for (const frame of framesOf(bytes)) {
      const message = frame.message as FromProcess;
      if (message.kind === 'ready') {
        ready = true;
        clearTimeout(starting);
      }
      events.message(message, frame.text);
    }
  });
  // A pipe that is closed is followed by `exit`, which tells what was lost.
  pipe?.on('error', () => undefined);
  let gone = false;
  const exited = (why: string) => {
    clearTimeout(starting);
    if (gone) return;
    gone = true;
    events.exited(ready ? why : `${why} ${complaint}`.trim());
  };
  child.on('error', (error) => {
    if (child.pid === undefined) exited(error.message);
  });
  child.on('exit', (code, signal) => {
    // It may be the wrapping that does not suit this machine. A kill is ours: it took too long, or is needed no more.
    if (!ready && signal !== 'SIGKILL' && around.wrap.length > 0) withoutLayers();
    exited(signal ?? `exit code ${code}`);
  });
  return {
    pid: child.pid,
    wrap: around.wrap,
    send: (message, pieces) => {
      if (pipe?.writable) writer?.write(message, pieces);
    },
    kill: () => {
      child.kill('SIGKILL');
    },
  };
};

/** How a child process is started, by way of `wrap`, that may read these files and do little else. */
export function confined(files: readonly string[], wrap: readonly string[]): ForkOptions {
  const permissions = [
    '--permission',
    '--disable-sigusr1',
    '--allow-addons',
    ...files.map((file) => `--allow-fs-read=${file}`),
    '--no-node-snapshot',
    '--no-warnings',
  ];
  return {
    env: {},
    cwd: '/',
    // The channel is only for one side to see that the other is gone: what they say goes through the pipe.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    ...wrapped(permissions, wrap),
  };
}

/** Node with these arguments, by way of `wrap`. */
export function wrapped(nodeArgs: readonly string[], [program, ...args]: readonly string[]): ForkOptions {
  if (program === undefined) return { execArgv: [...nodeArgs] };
  return { execPath: program, execArgv: [...args, process.execPath, ...nodeArgs] };
}

/**
 * The addon's file, and everything that the process may read: its sources, isolated-vm and its loader, and a file that the
 * loader looks for. All as they really lie, since the permission model does not let links lead out of what may be read; the
 * loader also where its name is looked up, which may be a link itself.
 */
function addonIn(here: string): { main: string; readable: string[] } {
  const main = createRequire(import.meta.url).resolve('isolated-vm');
  const fromAddon = createRequire(main);
  const loader = fromAddon.resolve('node-gyp-build/package.json');
  const links = (fromAddon.resolve.paths('node-gyp-build') ?? []).map((folder) => path.join(folder, 'node-gyp-build'));
  return {
    main,
    readable: [
      ...SOURCES.map((file) => path.join(here, '..', file)),
      path.join(here, '../../package.json'),
      path.dirname(main),
      path.dirname(loader),
      ...links.filter((link) => existsSync(link)),
      '/etc/alpine-release',
    ],
  };
}
