/** `--quick`: shorter rounds, for a look. The figures of a release come from the full run. */
export const isQuick = process.argv.includes('--quick');

/** Progress goes where it does not mix with the report. */
export const say = (text: string): void => void process.stderr.write(`${text}\n`);
