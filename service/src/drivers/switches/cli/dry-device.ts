import type { CliDevice } from './cli-device.ts';

/** A device that is sent nothing: every line is given to `held`, and taken for done. It has no modes to be in. */
export const dryDevice = ({ dialect, deadVlan }: CliDevice, held: (message: string) => void): CliDevice => ({
  dialect: { ...dialect, modes: undefined },
  deadVlan,
  session: {
    prompt: '',
    run: (line, signal) => {
      signal.throwIfAborted();
      held(line);
      return Promise.resolve({ text: '', prompt: '' });
    },
  },
});
