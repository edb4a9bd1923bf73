/** What the functions make of a message now, whatever they made of it before. */
import { JsonText } from '../../api/json-text.ts';
import { CopyButton, Mono } from '../../parts/code.tsx';
import { BACKGROUNDS } from '../../parts/icons.tsx';
import { Json } from '../../parts/json.tsx';
import { Note } from '../../parts/places.tsx';
import type { Message } from './place.ts';

interface ShapedProps {
  made: Message['shaped'];
  id: string;
  marked: string | null;
}

export function Shaped({ made, id, marked }: ShapedProps) {
  if (made == null) return <Note tone="idle">It has been delivered or discarded in the meantime.</Note>;
  const { error, kept, result, index_name, old_index_name } = made;
  if (error !== undefined) {
    const { function: name, message, line, column } = error;
    return (
      <div className={`rounded-md px-3 py-2 ${BACKGROUNDS.danger}`}>
        <p className="font-medium">
          <Mono>{name}</Mono> fails
          {line !== null && ` at line ${line}${column === null ? '' : `, column ${column}`}`}
        </p>
        <pre className="py-1 font-mono text-sm break-words whitespace-pre-wrap text-text">{message}</pre>
        <CopyButton text={message} look="quiet" />
      </div>
    );
  }
  if (kept === false) return <Note tone="idle">The filter drops it: nothing is sent.</Note>;
  const text = result instanceof JsonText ? result.text : JSON.stringify(result ?? null);
  return (
    <div className="space-y-2">
      {index_name !== undefined && (
        <p className="text-sm">
          Goes to the index <Mono>{index_name}</Mono>
          {old_index_name !== undefined && (
            <>
              ; its document in <Mono>{old_index_name}</Mono> is deleted
            </>
          )}
        </p>
      )}
      {text === 'null' ? (
        <Note tone="idle">No document is sent: the document of this row is deleted.</Note>
      ) : (
        <Json text={text} name="Document" file={`document-${id}.json`} marked={marked} />
      )}
    </div>
  );
}
