/** `destination:` of a pull consumer. */
import type { Destination } from '../../model/declared.ts';
import { int } from '../../model/scalars.ts';
import type { Refusal } from '../../model/section.ts';
import type { SinkSection } from '../contract.ts';

export interface PullDestination extends Destination {
  type: 'pull' | 'sequin_stream';
  /** It answers in Sequin's shape; absent: in ours. */
  nested?: true;
  visibility_timeout_ms: number;
  max_ack_pending: number;
  max_waiting: number;
  max_per_group: number;
}

const renamed = (to: string): Refusal => ({ message: 'has another name here', remedy: `Use \`${to}\`.` });

export const pullSection: SinkSection<Omit<PullDestination, 'nested'>> = {
  title: 'pull',
  keys: {
    visibility_timeout_ms: int(500, 43_200_000).default(30_000),
    max_ack_pending: int(1, 1_000_000).default(10_000),
    max_waiting: int(1, 10_000).default(20),
    max_per_group: int(1, 1_000).default(1),
  },
  refused: {
    ack_wait_ms: renamed('visibility_timeout_ms'),
    batch_size: { message: 'is not a setting of a pull consumer', remedy: 'Send it with each receive.' },
    max_deliver: {
      message: 'has another name here',
      remedy: 'Use `max_retry_count` of the sink: the number of redeliveries, one less.',
    },
  },
  read: (input) => ({
    settings: { ...input, ...(input.type === 'sequin_stream' ? { nested: true } : {}) },
    secret: null,
  }),
  write(destination) {
    const { nested: _, ...given } = destination as PullDestination;
    return given;
  },
};
