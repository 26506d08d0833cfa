export {
  type EngineName,
  engines,
  freshPostgres,
  migratedPostgres,
} from '../../../service/test/support/services/engines.ts';
