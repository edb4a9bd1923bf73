/** Says what was just done, for some seconds. Errors stay in their place instead. */
import { Toast } from '@base-ui/react/toast';
import type { ReactNode } from 'react';

const manager = Toast.createToastManager();

export const say = (title: string): void => void manager.add({ title, timeout: 5_000 });

export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager} timeout={5_000}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="flex items-center gap-3 rounded-md border border-line bg-raised px-4 py-3 shadow-raised"
    >
      <Toast.Title className="min-w-0 flex-1 text-base break-words" />
      <Toast.Close aria-label="Close" className="px-1 text-muted">
        ×
      </Toast.Close>
    </Toast.Root>
  ));
}
