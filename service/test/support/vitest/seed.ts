const { CORRAL_TEST_SEED: givenSeed, CORRAL_TEST_EFFORT: givenEffort } = process.env;

/** The seed of everything random in the tests: always the same, unless CORRAL_TEST_SEED says otherwise. */
export const seed = givenSeed === undefined ? 20_261_115 : Number(givenSeed);

/** How many times the usual number of random tries to make: for a night, CORRAL_TEST_EFFORT=50. */
export const effort = givenEffort === undefined ? 1 : Number(givenEffort);

/** Numbers from 0 to 1 that look random and are the same every time (a linear congruence, Numerical Recipes). */
export const randomFrom = (start: number): (() => number) => {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};
