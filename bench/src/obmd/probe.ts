import { mockMachine } from '@corral/obmd/drivers/mock/mock-machine';
import { answerQuestions } from './probe-questions.ts';

/* Loaded into the daemon beside its program: tells what it looks like from within, and has mock machines talk. */
answerQuestions((consoles) =>
  consoles.map((name) => {
    const machine = mockMachine(name);
    return (line) => machine.say(line);
  }),
);
