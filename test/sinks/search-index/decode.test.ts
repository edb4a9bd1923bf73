import { expect } from 'chai';
import type { Outcome } from '../../../src/model/sink.ts';
import type { HttpReply } from '../../../src/runtime/http-client.ts';
import { decodeBulk, type Verdict } from '../../../src/sinks/search-index/decode.ts';
import type { Operation } from '../../../src/sinks/search-index/encode.ts';
import { answer, engineError } from '../../support/engines/replies.ts';

type ItemAnswer = { status: number; error?: unknown; _id?: string; result?: string };

const INDEX = op('a');
const DELETE = op('d', true);
const MAPPING = { type: 'mapper_parsing_exception', reason: 'failed to parse [price]', caused_by: { type: 'x', n: 1 } };
const CONFLICT = { type: 'version_conflict_engine_exception', reason: 'current version [5] is higher' };
const MISSING = { type: 'index_not_found_exception', reason: 'no such index [products]' };
const DENIED = { type: 'security_exception', reason: 'action [indices:data/write] is unauthorized' };
const REJECTED = { type: 'es_rejected_execution_exception', reason: 'rejected' };

function op(documentId: string, isDelete = false): Operation {
  return { documentId, id: 1, isDelete, body: null, bytes: 0, outcome: undefined };
}

/** The verdict on an answer with these items, for operations of the same kinds. */
function items(sent: Operation[], answers: ItemAnswer[], versioning: 'external' | 'none' = 'external'): Verdict {
  const list = answers.map((item, i) => ({
    [sent[i]?.isDelete ? 'delete' : 'index']: { _id: sent[i]?.documentId, ...item },
  }));
  return decodeBulk(answer(200, JSON.stringify({ took: 1, errors: true, items: list })), sent, versioning);
}

function outcomes(verdict: Verdict): Outcome[] {
  if (verdict.kind !== 'items') throw new Error(`expected items, got ${JSON.stringify(verdict)}`);
  return verdict.outcomes;
}

describe('what the items of a _bulk answer mean', () => {
  it('200 and 201, and a delete of a document that is not there: done', () => {
    const verdict = items(
      [INDEX, INDEX, DELETE, DELETE],
      [
        { status: 201, result: 'created' },
        { status: 200, result: 'updated' },
        { status: 200, result: 'deleted' },
        { status: 404, result: 'not_found' },
      ],
    );
    expect(outcomes(verdict)).to.deep.equal(Array(4).fill({ kind: 'done' }));
  });

  it('a version conflict means that the engine already has a newer one: done', () => {
    const verdict = items(
      [INDEX, DELETE],
      [
        { status: 409, error: CONFLICT },
        { status: 409, error: CONFLICT },
      ],
    );
    expect(outcomes(verdict)).to.deep.equal([{ kind: 'done' }, { kind: 'done' }]);
  });

  it('without versions of ours a conflict means that nothing was written: again', () => {
    expect(outcomes(items([INDEX], [{ status: 409, error: CONFLICT }], 'none'))[0]).to.have.property('kind', 'retry');
  });

  it('a delete from a missing index is a failure of the index, not done', () => {
    const verdict = items([INDEX, DELETE], [{ status: 201 }, { status: 404, error: MISSING }]);
    expect(verdict).to.deep.equal({
      kind: 'index',
      circuit: { reason: 'index_missing', error: JSON.stringify(MISSING) },
      isMissing: true,
    });
  });

  it('429 and a rejected execution: those items again, and smaller requests', () => {
    const verdict = items(
      [INDEX, INDEX, INDEX],
      [{ status: 429, error: REJECTED }, { status: 200 }, { status: 503, error: REJECTED }],
    );
    expect(verdict).to.have.property('pushedBack', true);
    expect(outcomes(verdict).map(({ kind }) => kind)).to.deep.equal(['retry', 'done', 'retry']);
  });

  it('every document turned away: the engine has no room, and no message is touched', () => {
    for (const status of [429, 503]) {
      const turned = items([INDEX, DELETE], Array(2).fill({ status, error: REJECTED }));
      expect(turned).to.deep.equal({
        kind: 'failed',
        isDropped: false,
        circuit: { reason: 'overloaded', error: JSON.stringify(REJECTED), isPassing: true },
      });
    }
  });

  it('5xx and 408: again, the size is not to blame', () => {
    const unavailable = { type: 'unavailable_shards_exception', reason: 'primary shard is not active' };
    const verdict = items(
      [INDEX, INDEX],
      [
        { status: 503, error: unavailable },
        { status: 408, error: unavailable },
      ],
    );
    expect(verdict).to.have.property('pushedBack', false);
    const { type } = unavailable;
    const again = { kind: 'retry', error: JSON.stringify(unavailable) };
    expect(outcomes(verdict)).to.deep.equal([503, 408].map((status) => ({ ...again, answer: { status, type } })));
  });

  it('400 and other permanent errors park that message alone, with the error unchanged', () => {
    const tooLong = { type: 'illegal_argument_exception', reason: 'Document contains at least one immense term' };
    const verdict = items(
      [INDEX, INDEX, INDEX, INDEX],
      [
        { status: 400, error: MAPPING },
        { status: 200 },
        { status: 400, error: tooLong },
        { status: 413, error: tooLong },
      ],
    );
    expect(outcomes(verdict)).to.deep.equal([
      { kind: 'park', error: JSON.stringify(MAPPING), answer: { status: 400, type: MAPPING.type } },
      { kind: 'done' },
      { kind: 'park', error: JSON.stringify(tooLong), answer: { status: 400, type: tooLong.type } },
      { kind: 'park', error: JSON.stringify(tooLong), answer: { status: 413, type: tooLong.type } },
    ]);
  });

  it('cuts an error at 4,000 characters', () => {
    const [outcome] = outcomes(items([INDEX], [{ status: 400, error: { type: 'x', reason: 'y'.repeat(9000) } }]));
    expect(outcome).to.have.property('error').with.length(4000);
  });

  it('403 for every document: the credential is refused for the index', () => {
    expect(
      items(
        [INDEX, DELETE],
        [
          { status: 403, error: DENIED },
          { status: 403, error: DENIED },
        ],
      ),
    ).to.deep.equal({
      kind: 'index',
      circuit: { reason: 'auth_failed', error: JSON.stringify(DENIED) },
      isMissing: false,
    });
  });

  it('403 for some, or for deletes alone: those wait, the rest goes on, nothing is parked', () => {
    const mixed = outcomes(items([INDEX, DELETE], [{ status: 200 }, { status: 403, error: DENIED }]));
    expect(mixed).to.deep.equal([
      { kind: 'done' },
      { kind: 'wait', error: JSON.stringify(DENIED), retryAfterMs: 30_000 },
    ]);
    expect(outcomes(items([DELETE], [{ status: 403, error: DENIED }]))[0]).to.have.property('kind', 'wait');
  });

  it('401 for a document: no index takes this credential', () => {
    expect(items([INDEX], [{ status: 401, error: DENIED }])).to.have.nested.property('circuit.reason', 'auth_failed');
  });

  it('a closed or write-blocked index is the fault of no message', () => {
    const closed = { type: 'index_closed_exception', reason: 'closed' };
    const blocked = { type: 'cluster_block_exception', reason: 'index [products] blocked by: [FORBIDDEN/8/write]' };
    for (const item of [
      { status: 400, error: closed },
      { status: 403, error: blocked },
    ]) {
      expect(items([INDEX, INDEX], [{ status: 200 }, item])).to.deep.include({
        kind: 'index',
        circuit: { reason: 'bad_destination', error: JSON.stringify(item.error) },
      });
    }
  });

  it('a flood-stage disk (429 cluster_block_exception) is waited for', () => {
    const flood = { type: 'cluster_block_exception', reason: 'TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage' };
    expect(outcomes(items([INDEX, DELETE], [{ status: 429, error: flood }, { status: 200 }]))[0]).to.have.property(
      'kind',
      'retry',
    );
  });
});

describe('a _bulk answer that does not answer', () => {
  const sent = [INDEX, INDEX];
  const retried = (text: string): void => {
    const verdict = decodeBulk(answer(200, text), sent, 'external');
    expect(verdict, text).to.have.property('kind', 'failed');
    expect(verdict, text).to.deep.nested.include({ 'circuit.reason': 'bad_destination', 'circuit.isPassing': true });
  };

  it('is the destination’s fault: empty, not JSON, no items, too few, too many, other items', () => {
    const item = { index: { _id: 'a', status: 200 } };
    const done = (list: unknown[]): string => JSON.stringify({ errors: false, items: list });
    retried('');
    retried('<html>welcome</html>');
    retried('{"errors":false}');
    retried('null');
    retried('{"errors":false,"items":[{"index"');
    retried(done([item]));
    retried(done([item, item, item]));
    retried(done([item, { delete: { _id: 'a', status: 200 } }]));
    retried(done([item, { index: { _id: 'somebody else', status: 200 } }]));
    retried(done([item, { index: { _id: 'a' } }]));
    retried(done([item, null]));
  });

  it('needs no _id to be understood', () => {
    const text = JSON.stringify({ items: [{ index: { status: 200 } }, { index: { status: 201 } }] });
    expect(outcomes(decodeBulk(answer(200, text), sent, 'external'))).to.deep.equal([
      { kind: 'done' },
      { kind: 'done' },
    ]);
  });
});

describe('what the status of a _bulk answer means', () => {
  const verdictOf = (status: number, text: string, extra = {}): Verdict =>
    decodeBulk(answer(status, text, extra), [INDEX], 'external');

  it('429, 500, 502, 503, 504 and 408: the engine fails for now, until the time it wishes', () => {
    for (const status of [429, 500, 502, 503, 504, 408]) {
      const reason = status === 429 || status === 503 ? 'overloaded' : 'unreachable';
      expect(verdictOf(status, 'busy', { retryAfterMs: 7000 })).to.deep.equal({
        kind: 'failed',
        isDropped: false,
        circuit: { reason, error: 'busy', isPassing: true, retryAfterMs: 7000 },
      });
      expect(verdictOf(status, '')).to.have.nested.property('circuit.error', `HTTP ${status} with an empty answer`);
    }
    expect(verdictOf(204, '')).to.have.nested.property('circuit.reason', 'bad_destination');
  });

  it('what is cut is cut between characters, and holds nothing that Postgres refuses', () => {
    const { circuit } = verdictOf(503, `${'x'.repeat(3998)}🙂🙂`) as { circuit: { error: string } };
    expect(circuit.error).to.equal(`${'x'.repeat(3998)}🙂🙂`);
    for (const text of [`${'x'.repeat(3999)}🙂🙂`, 'a\u0000b\ud83d', '\ud83d'.repeat(5000)]) {
      const verdict = verdictOf(503, text) as { circuit: { error: string } };
      expect(verdict.circuit.error.isWellFormed()).to.equal(true);
      expect(verdict.circuit.error).to.not.contain('\u0000');
      expect([...verdict.circuit.error].length).to.be.at.most(4000);
    }
  });

  it('413: split', () => {
    expect(verdictOf(413, 'too large')).to.deep.equal({ kind: 'split', because: 'too_large', error: 'too large' });
  });

  it("400 in the engine's words: split; from something in between: a wrong destination, nothing is parked", () => {
    const text = engineError({ type: 'illegal_argument_exception' });
    expect(verdictOf(400, text)).to.deep.equal({ kind: 'split', because: 'malformed', error: text });
    expect(verdictOf(400, 'The plain HTTP request was sent to HTTPS port')).to.deep.equal({
      kind: 'circuit',
      circuit: { reason: 'bad_destination', error: 'The plain HTTP request was sent to HTTPS port' },
    });
  });

  it('401: circuit; 403 and 404: the index at fault', () => {
    expect(verdictOf(401, 'no')).to.deep.equal({ kind: 'circuit', circuit: { reason: 'auth_failed', error: 'no' } });
    const ofIndex = { kind: 'index', isMissing: false };
    expect(verdictOf(403, 'no')).to.deep.equal({ ...ofIndex, circuit: { reason: 'auth_failed', error: 'no' } });
    expect(verdictOf(404, 'no')).to.deep.equal({ ...ofIndex, circuit: { reason: 'index_missing', error: 'no' } });
  });

  it('3xx, 405 and 406: a wrong destination, and a redirect says where it leads', () => {
    const verdict = verdictOf(301, '', { location: 'https://elsewhere/products/_bulk' });
    expect(verdict).to.have.nested.property('circuit.reason', 'bad_destination');
    expect(verdict)
      .to.have.nested.property('circuit.error')
      .that.contains('https://elsewhere')
      .and.contains('endpoint_url');
    for (const status of [405, 406, 411, 415]) {
      expect(verdictOf(status, 'no')).to.have.nested.property('circuit.reason', 'bad_destination');
    }
  });

  it('no connection: circuit; a lost answer: one that passes; a shutdown: neither', () => {
    const of = (reply: HttpReply): Verdict => decodeBulk(reply, [INDEX], 'external');
    expect(of({ kind: 'unreachable', error: 'ECONNREFUSED' })).to.deep.equal({
      kind: 'circuit',
      circuit: { reason: 'unreachable', error: 'ECONNREFUSED' },
    });
    expect(of({ kind: 'lost', error: 'ECONNRESET' })).to.deep.equal({
      kind: 'failed',
      circuit: { reason: 'unreachable', error: 'ECONNRESET', isPassing: true },
      isDropped: true,
    });
    expect(of({ kind: 'aborted' })).to.deep.equal({ kind: 'aborted' });
  });
});
