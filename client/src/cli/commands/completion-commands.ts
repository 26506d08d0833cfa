import type { Command } from '../cli-command.ts';
import { candidatesFor, completionScripts, filesWanted, optionsIn } from '../complete.ts';
import { type Labels, labelsFrom } from '../label-completion.ts';
import { profilesFile, readProfiles } from '../profiles.ts';
import { shellLineOf, typedAs } from '../shell-words.ts';

/** What a shell waits for a list of labels before it gives up. */
const timeoutMs = 1_500;

/** Completion of words, for shells; `all` are the commands there are. */
export const completionCommands = (all: () => readonly Command[]): readonly Command[] => [
  {
    words: ['completion'],
    about: 'print the completion script of a shell, to be sourced by it',
    args: [{ name: 'shell', kind: 'text', oneOf: Object.keys(completionScripts) }],
    example: 'completion bash',
    run: ({ output }, parsed) => output.raw(Buffer.from(completionScripts[parsed.arg('shell')] ?? '')),
  },
  {
    words: ['__complete'],
    about: 'list the completions of the last word; used by the scripts of `corral completion`',
    args: [{ name: 'word', kind: 'text', isOptional: true, isRest: true }],
    options: { bash: { about: 'there is one word: the line as it was typed; the answers are as bash wants them' } },
    example: '__complete -- node sh',
    run: async ({ corral, env, output }, parsed) => {
      const typed = parsed.rest('word');
      const line = parsed.flag('bash') ? shellLineOf(typed[0] ?? '') : null;
      const words = line?.words.slice(1) ?? typed;
      const options = optionsIn(all(), words);
      const labelsOf: Labels = async (kind, before) => {
        const labels = labelsFrom(await corral({ option: (name) => options.get(name) }));
        const late = new Promise<readonly string[]>((resolve) => setTimeout(resolve, timeoutMs, []).unref());
        return Promise.race([labels(kind, before), late]);
      };
      const profilesOf = async () => Object.keys((await readProfiles(profilesFile(env))).profiles);
      // A service that is away, or says no, completes nothing: nobody asked for its words here.
      const candidates = await candidatesFor(all(), words, labelsOf, profilesOf).catch(() => []);
      const lines = candidates.map((candidate) =>
        line && candidate !== filesWanted ? typedAs(candidate, line) : candidate,
      );
      await output.raw(Buffer.from(lines.map((text) => `${text}\n`).join('')));
    },
  },
];
