import { Type } from '@sinclair/typebox';
import { type Route, route } from '../route.ts';

export const extensionRoutes: readonly Route[] = [
  route({
    name: 'list_active_extensions',
    endpoint: 'GET /active_extensions',
    summary: 'List the active extensions',
    access: 'admin',
    reply: Type.Array(Type.String()),
    handle: (context) => Promise.resolve([...context.dependencies.extensions].sort()),
  }),
];
