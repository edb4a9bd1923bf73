/** One function: its code on real messages, saved for all that use it. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useGet } from '../../api/queries.ts';
import { Gone } from '../../parts/gone.tsx';
import { Page } from '../../parts/page.tsx';
import { Loaded, Skeleton } from '../../parts/places.tsx';
import { FunctionEditor } from './function-editor.tsx';
import { RemoveFunction } from './remove-function.tsx';
import { TYPES } from './types.ts';
import { useFirstSource } from './use-first-source.ts';

const ABOVE = [{ to: '/functions', label: 'Functions' }];

export function OneFunction() {
  const { fn: name } = useParams({ from: '/inside/functions/$fn' });
  const { sink, message } = useSearch({ from: '/inside/functions/$fn' });
  const query = useGet('/api/functions/{function}', { path: { function: name } }, { every: 10_000 });
  const navigate = useNavigate();
  const [removed, setRemoved] = useState(false);
  const fn = query.data?.name === name || query.data?.id === name ? query.data : undefined;
  const first = useFirstSource(fn, { sink, message });
  return (
    <Page
      title={fn?.name ?? name}
      above={ABOVE}
      beside={
        fn && (
          <span className="text-muted">
            {TYPES[fn.type].title.toLowerCase()}, used by {fn.used_by.length === 0 ? 'nobody' : fn.used_by.join(', ')}
          </span>
        )
      }
      actions={
        fn && (
          <RemoveFunction
            fn={fn}
            onRemoved={() => {
              setRemoved(true);
              void navigate({ to: '/functions' });
            }}
          />
        )
      }
    >
      {!removed && (
        <>
          <Gone kind="function" name={name} home="/functions" error={query.error} />
          <Loaded query={{ ...query, data: fn }}>
            {(known) =>
              first === undefined ? (
                <Skeleton lines={8} />
              ) : (
                <FunctionEditor
                  key={known.id}
                  fn={known}
                  source={first.source}
                  {...(first.sink ? { sink: first.sink } : {})}
                />
              )
            }
          </Loaded>
        </>
      )}
    </Page>
  );
}
