export { type EngineName, engines, freshPostgres } from '../../../service/test/support/engines.ts';
