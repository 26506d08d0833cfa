import { Type } from '@sinclair/typebox';
import { type Route, route } from '../route.ts';

export const extensionRoutes: readonly Route[] = [
  route({
    name: 'list_active_extensions',
    method: 'GET',
    path: '/active_extensions',
    summary: 'List the active extensions',
    access: 'admin',
    auth: 'Admin',
    reply: Type.Array(Type.String()),
    handle: (context) => Promise.resolve([...context.dependencies.extensions].sort()),
  }),
];
