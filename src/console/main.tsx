/** The console begins. */
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/queries.ts';
import { nonce } from './lib/nonce.ts';
import { followTheme } from './lib/theme.ts';
import { loadPage, router } from './routes.tsx';
import './theme.css';

followTheme();
loadPage();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <CSPProvider nonce={nonce}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
