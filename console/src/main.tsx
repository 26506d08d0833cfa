import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { live, queries } from './app-state.ts';
import { LiveContext } from './api/use-live.ts';
import { router } from './router.tsx';
import { nonce } from './nonce.ts';
import { applyTheme } from './theme-choice.ts';
import './theme.css';

applyTheme();

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element to draw in');
createRoot(root).render(
  <StrictMode>
    <CSPProvider nonce={nonce}>
      <QueryClientProvider client={queries}>
        <LiveContext value={live}>
          <RouterProvider router={router} />
        </LiveContext>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
