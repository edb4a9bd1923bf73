/** Messages of which one sink keeps so many that the disk of the message database may fill. */
import { quoteLiteral } from '../model/quote.ts';
import { byCommand, type Finding, inMessages, warning } from './finding.ts';

/** As the statement gives it. */
export interface StorageFacts {
  name: string;
  status: string;
  /** Of its messages, with their indexes. */
  bytes: number;
}

const MUCH_BYTES = 10 * 1024 ** 3;

export const checkStorage = (sinks: readonly StorageFacts[]): Finding[] =>
  sinks
    .filter(({ bytes }) => bytes >= MUCH_BYTES)
    .map(({ name, status, bytes }) => {
      const discard = `or, if they are not wanted: millrace.discard, or millrace.disable(${quoteLiteral(name)})`;
      const repair =
        status === 'active'
          ? byCommand(['doctor', '--sink', name], (command) => `See why they wait: ${command}; ${discard}`)
          : inMessages(`select millrace.resume(${quoteLiteral(name)})`, discard);
      const size = `${Math.round(bytes / 1024 ** 3)} GB`;
      return {
        ...warning('growing', `messages of sink ${name} take ${size} of the message database`, repair),
        item: name,
      };
    });
