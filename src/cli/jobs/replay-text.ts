/** What a person reads of a replay that was only counted. */
import { count } from '../../model/quantity.ts';
import { at, textAt } from '../table/tell.ts';

const ACTIONS = ['insert', 'update', 'delete'] as const;

export function previewText(preview: unknown, { retention, sink }: { retention: string; sink: string }): string {
  const taken = at(preview, 'actions');
  const takes = (action: string): boolean => Array.isArray(taken) && taken.includes(action);
  const many = (action: string): number => Number(at(preview, `${action}s`));
  const entries = ACTIONS.filter(takes).reduce((sum, action) => sum + many(action), 0);
  const what = `${count(entries)} ${entries === 1 ? 'entry' : 'entries'} of ${retention} would be sent to ${sink}`;
  if (at(preview, 'entries') === 0) return `${what}\n`;
  const place = (of: string): string => `seq ${textAt(preview, `${of}_seq`)}, committed ${textAt(preview, `${of}_at`)}`;
  const lines: [string, string][] = [
    ...ACTIONS.map((action): [string, string] => [
      action,
      takes(action) ? count(many(action)) : `0, the sink does not take ${count(many(action))}`,
    ]),
    ['first', place('first')],
    ['last', place('last')],
  ];
  if (at(preview, 'is_filtered') === true) lines.push(['note', 'the filters of the sink may leave some out']);
  return `${what}\n${lines.map(([name, value]) => `  ${name.padEnd(8)}${value}\n`).join('')}`;
}
