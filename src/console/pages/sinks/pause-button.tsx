import { useCall } from '../../api/queries.ts';
import { useSinkPaths } from '../../api/sink-paths.ts';
import { Button, type Look } from '../../parts/button.tsx';
import { say } from '../../parts/toast.tsx';

/** Stops delivery to a sink and lets it go on; nothing is lost by either, so nobody is asked. */
export function PauseButton({ sink, look = 'plain' }: { sink: { name: string; status: string }; look?: Look }) {
  const { name, status } = sink;
  const { paths } = useSinkPaths();
  const pause = useCall('post', paths.pause);
  const resume = useCall('post', paths.resume);
  const isActive = status === 'active';
  const act = isActive ? pause : resume;
  const done = isActive ? `Paused ${name}; its messages are kept` : `Resumed ${name}`;
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-2">
      {act.error && (
        <span role="alert" className="text-sm text-danger">
          {act.error.message}
        </span>
      )}
      <Button
        needs="operate"
        look={look}
        busy={act.isPending}
        aria-label={`${isActive ? 'Pause' : 'Resume'} ${name}`}
        onClick={() => act.mutate({ path: { sink: name } }, { onSuccess: () => say(done) })}
      >
        {isActive ? 'Pause' : 'Resume'}
      </Button>
    </span>
  );
}
