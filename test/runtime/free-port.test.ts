import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { MillraceError } from '../../src/model/errors.ts';
import { freePort, listenFault, tryPort } from '../../src/runtime/free-port.ts';

describe('a port to listen on', () => {
  async function faultOf(work: Promise<number>): Promise<{ field: string; message: string } | undefined> {
    const error = await work.then(
      () => undefined,
      (refused: unknown) => refused,
    );
    expect(error).to.be.instanceOf(MillraceError);
    return (error as MillraceError).faults[0];
  }

  it('is any free one for 0', async () => {
    expect(await tryPort({ port: 0, host: '127.0.0.1' })).to.be.greaterThan(0);
    expect(await freePort()).to.be.greaterThan(0);
  });

  it('is refused by the setting that is wrong', async () => {
    const other = createServer().listen({ port: 0, host: '127.0.0.1' });
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await faultOf(tryPort({ port, host: '127.0.0.1' }))).to.include({
      field: 'PORT',
      message: `${port} is in use`,
    });
    other.close();
    // For documentation: no machine has it.
    for (const work of [tryPort({ port: 0, host: '192.0.2.1' }), freePort('999.1.1.1')])
      expect((await faultOf(work))?.field).to.equal('HOST');
  });

  it('names the port that is for other users, and passes on what no setting is to blame for', () => {
    const failed = (code: string): Error =>
      listenFault(Object.assign(new Error(code), { code }), { port: 80, host: null });
    expect(failed('EACCES').message).to.equal('PORT 80 is not open to the user that runs this');
    expect(failed('EMFILE').message).to.equal('EMFILE');
  });
});
