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
  maxPerGroup: number;
}

export class PullModel {
  readonly messages: ModelMessage[] = [];
  settings: ModelSettings;

  constructor(settings: ModelSettings) {
    this.settings = settings;
  }

  append(ids: readonly number[], fixtures: readonly MessageFixture[], parked: readonly number[] = []): void {
    ids.forEach((id, i) => {
      const { group, group2 } = fixtures[i]!;
      const groups = [group, group2].filter((key) => typeof key === 'number');
      const state = parked.includes(id) ? 'parked' : 'ready';
      this.messages.push({ id, groups, state, attempts: 0, token: null, inBatch: false });
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

  private mayGo(message: ModelMessage, together: readonly number[] = []): boolean {
    if (message.state !== 'ready' && message.state !== 'expired') return false;
    return !this.messages.some(
      (earlier) =>
        earlier.id < message.id &&
        earlier.state !== 'gone' &&
        earlier.state !== 'parked' &&
        !together.includes(earlier.id) &&
        earlier.groups.some((group) => message.groups.includes(group)),
    );
  }

  /** What is wrong with a batch that a receive handed out. */
  faultsOf(ids: readonly number[], batch: number): string[] {
    this.sweep();
    const { maxAckPending, maxPerGroup } = this.settings;
    const leased = this.messages.filter((message) => message.state === 'leased').length;
    const room = Math.max(0, Math.min(batch, maxAckPending - leased));
    const heads = this.messages.filter((message) => this.mayGo(message)).length;
    const faults: string[] = [];
    if (ids.length > room) faults.push(`${ids.length} where ${room} are allowed`);
    if (ids.length < Math.min(room, heads)) faults.push(`${ids.length} where ${Math.min(room, heads)} may go`);
    ids.forEach((id, n) => {
      if (n > 0 && ids[n - 1]! >= id) faults.push(`${id} after ${ids[n - 1]}`);
    });
    const those = this.those(ids);
    if (those.length < ids.length) faults.push('unknown ones');
    for (const message of those) {
      if (!this.mayGo(message, ids)) faults.push(`${message.id} may not go`);
      for (const group of message.groups) {
        const share = those.filter(({ groups }) => groups.includes(group)).length;
        if (share > maxPerGroup) faults.push(`${share} of group ${group}`);
      }
    }
    return faults;
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

  /** Deletes those that failed. */
  discard(): number[] {
    const failed = this.messages.filter(({ state }) => state === 'parked' || state === 'delayed');
    for (const message of failed) message.state = 'gone';
    return failed.map((message) => message.id);
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
