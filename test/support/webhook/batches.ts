/** Batches of deliveries in short, answers by their ids, and what became of them. */
import type { Delivery, SendResult } from '../../../src/model/sink.ts';
import { delivery } from '../fixtures/delivery.ts';
import type { Answer, Endpoint, Received } from './endpoint.ts';

/** `1a 2a 3b`: ids with their groups; `4-`: in none. */
export function deliveries(text: string, options: Partial<Delivery> = {}): Delivery[] {
  return text.split(' ').map((one) => {
    const group = one.at(-1)!;
    return delivery(Number(one.slice(0, -1)), group, {
      groups: group === '-' ? [] : [group.charCodeAt(0)],
      ...options,
    });
  });
}
export const kinds = ({ outcomes }: SendResult): string => outcomes.map(({ kind }) => kind).join(' ');
export const idsOf = (requests: readonly Received[]): string =>
  requests.map(({ records }) => records.map(({ at }) => at).join('+')).join(' ');

/** Answers by the ids of a request's messages; 204 where nothing is said. */
export function answers(endpoint: Endpoint, byId: Record<number, number | Answer>): void {
  endpoint.answer = ({ records }) => {
    const answer = records.map(({ at }) => byId[Number(at)]).find((one) => one !== undefined);
    return typeof answer === 'number' ? { status: answer, text: `no ${answer}` } : answer;
  };
}
