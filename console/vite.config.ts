import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Built by `scripts/bundle.mjs`; during development `npx vite` here, beside a service on port 5000. */
export default defineConfig({
  plugins: [react(), tailwind()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What is inside, by package: their licences are written beside.
    license: { fileName: 'licences.md' },
  },
  server: { proxy: { '/v0': { target: 'http://127.0.0.1:5000', ws: true }, '/auth': 'http://127.0.0.1:5000' } },
});
