/** What a sink is called, and what else is said of it. */
import { FigureKey, More, PairsKey, TextKey, WordKey } from '../../../parts/form/controls.tsx';

export function NamePart({ proposed, withStatus }: { proposed?: string; withStatus: boolean }) {
  return (
    <div>
      <div className="max-w-md">
        <TextKey path="name" label="Name" placeholder={proposed} hint="Addresses, metrics and alerts have it" />
      </div>
      <More label="Start, retries, annotations">
        {withStatus && (
          <WordKey
            path="status"
            label="It begins"
            words={['active', 'paused', 'disabled']}
            hint="paused: messages wait. disabled: nothing is kept"
          />
        )}
        <FigureKey
          path="max_retry_count"
          label="Tries again at most"
          hint="Then a message is parked. Empty: without end"
        />
        <PairsKey path="annotations" label="Annotations" hint="One a line, as owner: billing; messages carry them" />
      </More>
    </div>
  );
}
