import { useSuspenseQuery } from '@tanstack/react-query';
import type { Me } from './client.ts';
import { me } from './queries.ts';

/** Who is signed in. Only below the frame, which asks before it draws. */
export const useMe = (): Me => useSuspenseQuery(me).data;
