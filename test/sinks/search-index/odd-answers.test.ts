/** Answers as broken proxies give them, byte by byte: bounded, never taken for a success, and clear. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import type { Circuit, SendResult, Sink } from '../../../src/model/sink.ts';
import { NEVER, openTestSearchSink, searchDestination } from '../../support/engines/search-sink.ts';
import { delivery } from '../../support/fixtures/delivery.ts';

const ITEMS = Buffer.from('{"errors":false,"items":[{"index":{"_id":"a","status":200}}]}');

describe('odd answers of a search engine', () => {
  const servers: Server[] = [];
  let sink: Sink | undefined;
  const sockets = new Set<Socket>();

  afterEach(async () => {
    await sink?.close();
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  /** Answers each request with what `speak` writes. */
  async function answered(speak: (socket: Socket) => void, answerTimeoutMs = 5_000): Promise<SendResult> {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => speak(socket));
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    sink = openTestSearchSink(searchDestination(`http://127.0.0.1:${port}`), { answerTimeoutMs });
    return await sink.send([delivery(1, 'a')], NEVER);
  }

  const head = (status: number, headers: Record<string, string | number> = {}): string =>
    `HTTP/1.1 ${status} x\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`;

  const whole = (status: number, body: Buffer, encoding: string) => (socket: Socket) => {
    socket.write(head(status, { 'content-encoding': encoding, 'content-length': body.length }));
    socket.write(body);
  };

  const failing = ({ outcomes, circuit }: SendResult): Circuit => {
    expect(outcomes).to.deep.equal([]);
    expect(circuit?.error.isWellFormed()).to.equal(true);
    expect(circuit!.error.length).to.be.at.most(4_000);
    return circuit!;
  };

  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    it(`reads ${encoding} that nobody asked for, of a success and of a failure`, async () => {
      expect((await answered(whole(200, compress(ITEMS), encoding))).outcomes).to.deep.equal([{ kind: 'done' }]);
      await sink!.close();
      const error = failing(await answered(whole(503, compress(Buffer.from('no room 🙂')), encoding)));
      expect(error).to.include({ reason: 'overloaded', error: 'no room 🙂' });
    });

    it(`says so when ${encoding} cannot be read`, async () => {
      const { reason, error } = failing(
        await answered(whole(200, Buffer.from('\x00\xff no such thing', 'latin1'), encoding)),
      );
      expect(reason).to.equal('bad_destination');
      expect(error).to.contain('content-encoding').and.contain('cannot be read');
    });
  }

  it('names an encoding that it does not know', async () => {
    const { error } = failing(await answered(whole(200, ITEMS, 'rot13')));
    expect(error).to.contain('rot13');
  });

  it('a few bytes that unfold to 256 MB cost no such memory', async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024));
    const before = process.memoryUsage().rss;
    expect(failing(await answered(whole(200, bomb, 'gzip'))).error).to.contain('an answer of more than');
    await sink!.close();
    const { reason } = failing(await answered(whole(503, bomb, 'gzip')));
    expect(reason).to.equal('overloaded');
    expect(process.memoryUsage().rss - before).to.be.lessThan(300 * 1024 * 1024);
  });

  for (const status of [200, 503]) {
    it(`HTTP ${status} with a body that never ends`, async () => {
      const endless = (socket: Socket): void => {
        socket.write(head(status, { 'transfer-encoding': 'chunked' }));
        const piece = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
        const more = (): void => {
          while (!socket.destroyed && socket.write(piece));
        };
        socket.on('drain', more);
        more();
      };
      const { reason, error } = failing(await answered(endless));
      expect(reason).to.equal(status === 200 ? 'unreachable' : 'overloaded');
      expect(error).to.match(status === 200 ? /an answer of more than|size/i : /^x+…$/);
    });
  }

  it('10 MB of a 503, with bytes that are not valid UTF-8', async () => {
    const body = Buffer.alloc(10 * 1024 * 1024, 0xf0);
    const { reason, error } = failing(await answered(whole(503, body, 'identity')));
    expect(reason).to.equal('overloaded');
    expect(error).to.match(/^\uFFFD+…$/);
  });

  it('headers that never end', async () => {
    const speak = (socket: Socket): void => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write(`x-more: ${'y'.repeat(1000)}\r\n`));
      };
      socket.on('drain', more);
      more();
    };
    expect(failing(await answered(speak)))
      .to.include({ reason: 'unreachable' })
      .and.have.property('error')
      .that.matches(/header/i);
  });

  const ODD: Record<string, (socket: Socket) => void> = {
    'chunks without a size': (socket: Socket) =>
      void socket.write(`${head(200, { 'transfer-encoding': 'chunked' })}zz\r\nhello\r\n`),
    'a length that is too short': (socket: Socket) =>
      void socket.end(`${head(200, { 'content-length': 500 })}{"items"`),
    'what is no HTTP': (socket: Socket) => void socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
    'a body that trickles': (socket: Socket) => void socket.write(`${head(200, { 'content-length': 500 })}{"items"`),
  };
  for (const [what, speak] of Object.entries(ODD)) {
    it(`${what}: unreachable for now`, async () => {
      const circuit = failing(await answered(speak, 300));
      expect(circuit).to.include({ reason: 'unreachable', isPassing: true });
      expect(circuit.error).to.not.equal('');
    });
  }

  describe('an alias or index that takes no document', () => {
    const refusing = (reason: string) => (socket: Socket) => {
      const error = { type: 'illegal_argument_exception', reason };
      whole(200, Buffer.from(JSON.stringify({ items: [{ index: { status: 400, error } }] })), 'identity')(socket);
    };
    const missing = 'pipeline with id [prices] does not exist';

    for (const reason of [
      'no write index is defined for alias [products]. The write index may be explicitly disabled',
      'only write ops with an op_type of create are allowed in data streams',
      missing,
    ]) {
      it(`is the fault of no message: ${reason}`, async () => {
        const { reason: found, error } = failing(await answered(refusing(reason)));
        expect(found).to.equal('bad_destination');
        expect(error).to.contain(reason);
      });
    }

    it('is not what an error says of a document that quotes such a reason', async () => {
      const { outcomes } = await answered(refusing(`failed to parse value: ${missing}`));
      expect(outcomes[0]).to.have.property('kind', 'park');
    });
  });
});
