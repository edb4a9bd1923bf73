/** Endpoints that are slow, half open or broken, byte by byte: bounded, never taken for a success, and clear. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Delivery, SendResult, Sink } from '../../../src/model/sink.ts';
import { delivery } from '../../support/fixtures/delivery.ts';
import { startEndpoint } from '../../support/webhook/endpoint.ts';
import { NEVER, openTestWebhookSink, webhookDestination } from '../../support/webhook/sink.ts';

const TWO: Delivery[] = [delivery(1, 'a', { groups: [1] }), delivery(2, 'b', { groups: [2] })];

describe('odd answers of a webhook', () => {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let sink: Sink | undefined;

  beforeEach(() => {
    connections = 0;
  });
  afterEach(async () => {
    await sink?.close();
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  /** Two messages, each answered with what `speak` writes. */
  async function answered(speak: (socket: Socket) => void, timeoutMs = 5_000): Promise<SendResult> {
    const server = createServer((socket) => {
      connections += 1;
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => speak(socket));
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    sink = openTestWebhookSink(webhookDestination(`http://127.0.0.1:${port}`, { timeout_ms: timeoutMs }));
    return await sink.send(TWO, NEVER);
  }

  const DONE = { outcomes: [{ kind: 'done' }, { kind: 'done' }] };
  const passing = ({ circuit, outcomes }: SendResult): string => {
    expect(outcomes).to.deep.equal([{ kind: 'untried' }, { kind: 'untried' }]);
    expect(circuit).to.include({ reason: 'unreachable', isPassing: true });
    expect(circuit!.error.length).to.be.within(1, 4_000);
    return circuit!.error;
  };

  it('no answer in time, and no answer to the end of one: bounded by timeout_ms', async () => {
    expect(passing(await answered(() => undefined, 200))).to.match(/no complete answer within 200 ms/);
    await sink!.close();
    const slow = (socket: Socket): void => void socket.write('HTTP/1.1 500 x\r\ncontent-length: 50\r\n\r\nhalf');
    expect(passing(await answered(slow, 200))).to.match(/no complete answer within 200 ms/);
  });

  it('a success is one by its head: a body that breaks off, trickles or never ends changes nothing', async () => {
    const head = 'HTTP/1.1 200 OK\r\n';
    expect(await answered((socket) => void socket.end(`${head}content-length: 50\r\n\r\nhalf`))).to.deep.equal(DONE);
    await sink!.close();
    expect(await answered((socket) => void socket.write(`${head}content-length: 50\r\n\r\nhalf`), 200)).to.deep.equal(
      DONE,
    );
    await sink!.close();
    const endless = (socket: Socket): void => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
      const piece = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const more = (): void => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', more);
      more();
    };
    expect(await answered(endless)).to.deep.equal(DONE);
  });

  it('a reset before the answer', async () => {
    expect(passing(await answered((socket) => void socket.resetAndDestroy()))).to.match(/ECONNRESET|other side closed/);
  });

  it('a reset in the middle of a refusal', async () => {
    const speak = (socket: Socket): void => {
      socket.write('HTTP/1.1 422 x\r\ncontent-length: 500\r\n\r\nhalf', () => socket.resetAndDestroy());
    };
    passing(await answered(speak));
  });

  it('a huge refusal is shown to 4,000 characters, without U+0000 or half a pair', async () => {
    const body = Buffer.from(`\0${'🙂'.repeat(1_000_000)}`);
    const speak = (socket: Socket): void => {
      socket.write(`HTTP/1.1 400 x\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    };
    const [outcome] = (await answered(speak)).outcomes;
    expect(outcome?.kind).to.equal('park');
    const error = outcome && 'error' in outcome ? outcome.error : '';
    expect([...error]).to.have.length(4_000);
    expect(error.isWellFormed() && !error.includes('\0')).to.equal(true);
  });

  it('a few bytes that unfold to 256 MB cost no such memory', async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024));
    const before = process.memoryUsage().rss;
    const speak = (socket: Socket): void => {
      socket.write(`HTTP/1.1 422 x\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    };
    expect((await answered(speak)).outcomes.map(({ kind }) => kind)).to.deep.equal(['park', 'park']);
    expect(process.memoryUsage().rss - before).to.be.lessThan(300 * 1024 * 1024);
  });

  it('interim answers (102, 103) come before the one that counts', async () => {
    const speak = (socket: Socket): void => {
      socket.write('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    };
    expect(await answered(speak)).to.deep.equal(DONE);
  });

  it('a redirect is told without its query, whatever it leads to', async () => {
    for (const [location, told] of [
      ['app://shop:hunter22@open/orders?token=hunter22', 'app:'],
      ['/login?next=%2F', '/login'],
      ['https://shop:hunter22@elsewhere/x?y', 'https://elsewhere/x'],
    ]) {
      const text = `HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;
      const { circuit } = await answered((socket) => void socket.write(text));
      expect(circuit?.error).to.match(new RegExp(`^HTTP 302 to ${told}; `));
      await sink!.close();
    }
  });

  const BROKEN: Record<string, string> = {
    'what is no HTTP': 'SSH-2.0-OpenSSH_9.6\r\n',
    'leave to continue that nobody asked for': 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 x\r\n\r\n',
    'another protocol': 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    'headers that never end': `HTTP/1.1 204 x\r\n${`x-more: ${'y'.repeat(1000)}\r\n`.repeat(100)}`,
  };
  for (const [what, text] of Object.entries(BROKEN)) {
    it(`${what}: unreachable for now`, async () => {
      passing(await answered((socket) => void socket.write(text), 300));
    });
  }

  it('a connection that was kept and is closed just then: the request goes once more, by a new one', async () => {
    const seen = new Map<Socket, number>();
    const speak = (socket: Socket): void => {
      const count = (seen.get(socket) ?? 0) + 1;
      seen.set(socket, count);
      if (count === 1) socket.write('HTTP/1.1 204 x\r\n\r\n');
      else socket.destroy();
    };
    expect(await answered(speak)).to.deep.equal(DONE);
    const before = connections;
    expect(await sink!.send(TWO, NEVER)).to.deep.equal(DONE);
    expect(connections).to.be.greaterThan(before);
  });

  it('a server that is away for a moment gets everything, in order, when it is back', async () => {
    const endpoint = await startEndpoint();
    const opened = openTestWebhookSink(webhookDestination(endpoint.url));
    expect(await opened.send(TWO, NEVER)).to.deep.equal(DONE);
    await endpoint.leave();
    expect((await opened.send(TWO, NEVER)).circuit?.reason).to.equal('unreachable');
    await endpoint.comeBack();
    expect(await opened.send(TWO, NEVER)).to.deep.equal(DONE);
    await opened.close();
    await endpoint.close();
  });
});
