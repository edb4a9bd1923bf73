/** The section about what a console costs. */
import { type Console, TABS } from './console.ts';
import { figure, medianOf, table } from './figures.ts';

export function consoleText({ pending, overview, pull }: Console): string {
  return [
    '## Console',
    `A hundred sinks in which ${figure(pending)} messages wait: the overview when it is read, and when it is asked for over HTTP again (9 of 10);\nand receive with acknowledgement of 10 messages, by 4 clients, beside ${TABS} tabs that poll. Median of ${overview.length}.`,
    table(
      ['', 'ms'],
      [
        ['overview read', figure(medianOf(overview, ({ snapshotMs }) => snapshotMs))],
        ['overview answered', figure(medianOf(overview, ({ answerMs }) => answerMs))],
        ['pull alone, p99', figure(medianOf(pull, ({ aloneP99Ms }) => aloneP99Ms))],
        ['pull beside the console, p99', figure(medianOf(pull, ({ besideP99Ms }) => besideP99Ms))],
      ],
    ),
    `The answer has ${figure(medianOf(overview, ({ bytes }) => bytes))} bytes; messages a second: ${figure(medianOf(pull, ({ alonePerSecond }) => alonePerSecond))} alone, ${figure(medianOf(pull, ({ besidePerSecond }) => besidePerSecond))} beside the console.`,
  ].join('\n\n');
}
