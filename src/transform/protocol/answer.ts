/**
 * What a function answered for one message, as a line: the sandbox runtime's (`v`, `u`, `e`: process/runtime.ts), and `c` +
 * JSON, the complaint of who ran it. JSON text holds no line break, so many lines are one text, which crosses at the cost of one.
 */
import { type Complaint, readComplaint } from './complaint.ts';

export type Answer = { text: string } | { unusable: string } | { complaint: Complaint };

export const complaintLine = (complaint: Complaint): string => `c${JSON.stringify(complaint)}\n`;

/** The answers of whole lines; undefined when they are none. */
export function readAnswers(parts: readonly string[]): Answer[] | undefined {
  const answers: Answer[] = [];
  try {
    for (const lines of parts) {
      let start = 0;
      for (let end = lines.indexOf('\n'); end >= 0; end = lines.indexOf('\n', start)) {
        answers.push(read(lines, start, end));
        start = end + 1;
      }
    }
  } catch {
    return undefined;
  }
  return answers;
}

function read(lines: string, start: number, end: number): Answer {
  const kind = lines[start];
  const rest = lines.slice(start + 1, end);
  if (kind === 'v') return { text: rest };
  if (kind === 'u') return { unusable: rest };
  return { complaint: kind === 'e' ? readComplaint(rest) : (JSON.parse(rest) as Complaint) };
}
