const given = process.env['CORRAL_TEST_SEED'];

/** The seed of everything random in the tests: always the same, unless CORRAL_TEST_SEED says otherwise. */
export const seed = given === undefined ? 20_261_115 : Number(given);
