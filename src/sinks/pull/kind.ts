/** A pull consumer: its clients lease messages and acknowledge them. Its one lane is there for its functions. */
import type { SinkKind } from '../contract.ts';
import type { PullDestination } from './section.ts';

export const pull: SinkKind<PullDestination> = {
  type: 'pull',
  names: ['pull', 'sequin_stream'],
  title: 'a pull consumer',
  traits: { receivable: true, replaces: false, order: 'group', takesRows: true, readable: false },
  lanes: 1,
  section: async () => (await import('./section.ts')).pullSection,
  async open({ no, settings }) {
    const { openShapedConsumer } = await import('./sink.ts');
    return openShapedConsumer({ sinkNo: no, transformed: settings.transform !== null });
  },
};
