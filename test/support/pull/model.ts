/** What a pull consumer promises, as a few lines over a list: the reference of the model test. */
import type { MessageFixture } from '../fixtures/fixtures.ts';

export interface ModelMessage {
  id: number;
  groups: number[];
  state: 'ready' | 'delayed' | 'leased' | 'expired' | 'parked' | 'gone';
  attempts: number;
  token: string | null;
  /** First delivery: it stands in its batch's lease, not on its own. */
  inBatch: boolean;
}

export interface ModelSettings {
  maxAckPending: number;
  maxDeliver: number;
}

export class PullModel {
  readonly messages: ModelMessage[] = [];
  readonly settings: ModelSettings;

  constructor(settings: ModelSettings) {
    this.settings = settings;
  }

  append(ids: readonly number[], fixtures: readonly MessageFixture[]): void {
    ids.forEach((id, i) => {
      const { group, group2 } = fixtures[i]!;
      const groups = [group, group2].filter((key) => typeof key === 'number');
      this.messages.push({ id, groups, state: 'ready', attempts: 0, token: null, inBatch: false });
    });
  }

  /** Expired leases are noticed: parked when they were delivered often enough, else due again. */
  private sweep(): void {
    for (const message of this.messages) {
      if (message.state !== 'expired') continue;
      if (message.attempts >= this.settings.maxDeliver) message.state = 'parked';
      else if (message.inBatch) {
        message.state = 'ready';
        message.inBatch = false;
      }
    }
  }

  private mayGo(message: ModelMessage): boolean {
    if (message.state !== 'ready' && message.state !== 'expired') return false;
    return !this.messages.some(
      (earlier) =>
        earlier.id < message.id &&
        earlier.state !== 'gone' &&
        earlier.state !== 'parked' &&
        earlier.groups.some((group) => message.groups.includes(group)),
    );
  }

  /** Ids that a receive may choose from, and how many it hands out. */
  receivable(batch: number): { ids: number[]; count: number } {
    this.sweep();
    const leased = this.messages.filter((message) => message.state === 'leased').length;
    const ids = this.messages.filter((message) => this.mayGo(message)).map((message) => message.id);
    return { ids, count: Math.max(0, Math.min(batch, ids.length, this.settings.maxAckPending - leased)) };
  }

  received(token: string, ids: readonly number[], redelivered: ReadonlySet<number>): void {
    for (const message of this.those(ids)) {
      Object.assign(message, { state: 'leased', token, inBatch: !redelivered.has(message.id) });
      message.attempts += 1;
    }
  }

  ack(token: string | null, ids: readonly number[]): number {
    const applied = this.those(ids).filter((message) => message.token === token && message.state !== 'gone');
    for (const message of applied) message.state = 'gone';
    return applied.length;
  }

  nack(token: string | null, ids: readonly number[], delayed: boolean): number {
    const applied = this.heldBy(token, ids);
    for (const message of applied) {
      message.state = message.attempts >= this.settings.maxDeliver ? 'parked' : delayed ? 'delayed' : 'ready';
      message.inBatch = false;
    }
    return applied.length;
  }

  extend(token: string | null, ids: readonly number[]): number {
    const applied = this.heldBy(token, ids);
    for (const message of applied) Object.assign(message, { state: 'leased', inBatch: false });
    return applied.length;
  }

  release(token: string | null, ids: readonly number[]): number {
    const applied = this.heldBy(token, ids);
    for (const message of applied) {
      Object.assign(message, { state: 'ready', inBatch: false });
      message.attempts -= 1;
    }
    return applied.length;
  }

  expire(token: string | null): void {
    for (const message of this.messages) {
      if (message.token === token && message.state === 'leased') message.state = 'expired';
    }
  }

  fastForward(): void {
    for (const message of this.messages) if (message.state === 'delayed') message.state = 'ready';
  }

  retry(): number[] {
    const parked = this.messages.filter((message) => message.state === 'parked');
    for (const message of parked) Object.assign(message, { state: 'ready', attempts: 0, token: null });
    return parked.map((message) => message.id);
  }

  left(): number[] {
    return this.messages.filter((message) => message.state !== 'gone').map((message) => message.id);
  }

  private those(ids: readonly number[]): ModelMessage[] {
    return this.messages.filter((message) => ids.includes(message.id));
  }

  private heldBy(token: string | null, ids: readonly number[]): ModelMessage[] {
    return this.those(ids).filter(
      (message) => message.token === token && (message.state === 'leased' || message.state === 'expired'),
    );
  }
}
