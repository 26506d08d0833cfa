const { CORRAL_TEST_SEED: givenSeed, CORRAL_TEST_EFFORT: givenEffort } = process.env;

/** The seed of everything random in the tests: always the same, unless CORRAL_TEST_SEED says otherwise. */
export const seed = givenSeed === undefined ? 20_261_115 : Number(givenSeed);

/** How many times the usual number of random tries to make: for a night, CORRAL_TEST_EFFORT=50. */
export const effort = givenEffort === undefined ? 1 : Number(givenEffort);
