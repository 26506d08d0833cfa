import { type SshAccount, type SshServer, startSshServer } from './ssh-server.ts';
import { type Drip, Terminal } from './lab-terminal.ts';

/** What a scripted device says to one line. */
export interface Reply {
  readonly text: string;
  /** Asked instead of the next prompt; what is typed then goes to `answer` too. */
  readonly question?: { readonly text: string; readonly takes: 'line' | 'hidden line' | 'key' };
  readonly isLogout?: true;
}

/** One login on a scripted device: its modes and its terminal settings. */
export interface Shell {
  readonly banner?: string;
  /** Lines on a screen; 0 means that nothing is paged. */
  pageLength(): number;
  /** What is asked after a full screen, and what is written over the question when a key was hit. */
  readonly pager: { readonly question: string; readonly erase: string };
  prompt(): string;
  answer(line: string): Reply;
}

/** Who may log in, and what they find. */
export interface ConsoleOptions extends SshAccount {
  newShell(): Shell;
}

/** A device that is only a command line over SSH. */
export interface SshConsole extends SshServer {
  /** Every line that it was given. */
  readonly transcript: string[];
  /** From now on output comes in drips; null: at once. */
  drip(how: Drip | null): void;
}

/** Starts one on loopback, with a host key of its own. */
export const startSshConsole = async (options: ConsoleOptions): Promise<SshConsole> => {
  const transcript: string[] = [];
  let drip: Drip | null = null;
  const server = await startSshServer(options, (session, hangUp) => {
    session.on('pty', (accept: () => void) => accept());
    session.on('shell', (accept) => {
      const terminal = new Terminal(accept(), () => drip);
      void attend(terminal, options.newShell(), transcript).finally(hangUp);
    });
  });
  return {
    ...server,
    transcript,
    drip: (how) => {
      drip = how;
    },
  };
};

const attend = async (terminal: Terminal, shell: Shell, transcript: string[]): Promise<void> => {
  await terminal.write(`\n${shell.banner ?? ''}`);
  let asked: Reply['question'];
  for (;;) {
    await terminal.write(asked?.text ?? shell.prompt());
    const line = asked?.takes === 'key' ? await terminal.key() : await terminal.line(asked?.takes === 'hidden line');
    if (line === null) return;
    transcript.push(line);
    const reply = shell.answer(line);
    await showPaged(terminal, shell, reply.text);
    if (reply.isLogout) return;
    asked = reply.question;
  }
};

/** Shows text a screen at a time: a space shows the next, return one more line, q ends it. */
const showPaged = async (terminal: Terminal, shell: Shell, text: string): Promise<void> => {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const length = shell.pageLength();
  let room = length;
  for (const [index, line] of lines.entries()) {
    if (length > 0 && room === 0 && index < lines.length) {
      await terminal.write(shell.pager.question);
      const key = await terminal.key();
      await terminal.write(shell.pager.erase);
      if (key === null || key === 'q') return;
      room = key === ' ' ? length : 1;
    }
    await terminal.write(`${line}\n`);
    room--;
  }
};
