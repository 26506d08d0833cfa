import RFB from '@novnc/novnc';
import { corral } from '../api/client.ts';
import { endedByItself, takenAway, Tunnel, type TunnelState } from '../api/tunnel.ts';

/** What the page hears of a screen. */
interface ScreenListener {
  readonly state: (state: TunnelState) => void;
  /** The keys that take the keyboard back from the machine were pressed. */
  readonly released: () => void;
}

/** The screen of a headnode in the page, and the tunnel to its VNC port. */
export class ScreenLine {
  readonly #place: HTMLElement;
  readonly #tell: ScreenListener;
  readonly #tunnel: Tunnel;
  #screen: RFB | null = null;
  #isViewOnly: boolean;

  constructor(headnode: string, place: HTMLElement, isViewOnly: boolean, tell: ScreenListener) {
    this.#place = place;
    this.#tell = tell;
    this.#isViewOnly = isViewOnly;
    place.addEventListener('keydown', this.#onKey, true);
    this.#tunnel = new Tunnel({
      address: () => corral.webSocket('headnodeVnc', { headnode }),
      ask: (signal) => corral.headnodeVnc({ headnode }, { signal }),
      unsaid: 'the screen of the headnode does not answer, or a proxy drops the Upgrade header',
      // It is open when both sides have agreed on how they speak, which the viewer says.
      state: (state) => state.kind !== 'open' && tell.state(state),
      attach: (socket) => this.#attach(socket),
      ended: (code, reason) =>
        code === endedByItself || code === takenAway
          ? { kind: 'over', why: reason === '' ? 'the screen has ended' : reason }
          : null,
    });
    this.connect();
  }

  /** Connects, anew if it is connected. */
  connect(): void {
    this.#drop();
    this.#tunnel.connect();
  }

  #attach(socket: WebSocket): void {
    // Others may look at the same time.
    const screen = new RFB(this.#place, socket, { shared: true });
    this.#screen = screen;
    screen.scaleViewport = true;
    screen.background = 'var(--chassis)';
    screen.viewOnly = this.#isViewOnly;
    screen.addEventListener('connect', () => {
      if (this.#screen !== screen) return;
      this.#tell.state({ kind: 'open' });
      this.focus();
    });
    screen.addEventListener('disconnect', () => {
      if (this.#screen === screen) this.#screen = null;
    });
    const refuse = (why: string): void => {
      if (this.#screen !== screen) return;
      this.#drop();
      this.#tell.state({ kind: 'over', why });
    };
    screen.addEventListener('securityfailure', ({ detail }) => refuse(detail.reason ?? 'the screen lets nobody in'));
    screen.addEventListener('credentialsrequired', () => refuse('the screen asks for a password of its own'));
  }

  /** Ends what is shown now; what its socket says after that concerns nobody. */
  #drop(): void {
    const screen = this.#screen;
    this.#screen = null;
    this.#tunnel.hangUp();
    screen?.disconnect();
  }

  /** The machine gets every key, Tab too: Ctrl, Alt and Shift together take the keyboard back. */
  readonly #onKey = (event: KeyboardEvent): void => {
    if (!event.ctrlKey || !event.altKey || !event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    // What is held down now would be held down for the machine for ever.
    if (this.#screen !== null && !this.#isViewOnly) {
      this.#screen.viewOnly = true;
      this.#screen.viewOnly = false;
    }
    this.#screen?.blur();
    this.#tell.released();
  };

  set viewOnly(isViewOnly: boolean) {
    this.#isViewOnly = isViewOnly;
    if (this.#screen !== null) this.#screen.viewOnly = isViewOnly;
  }

  sendCtrlAltDel(): void {
    this.#screen?.sendCtrlAltDel();
    this.focus();
  }

  focus(): void {
    this.#screen?.focus();
  }

  close(): void {
    this.#place.removeEventListener('keydown', this.#onKey, true);
    this.#drop();
    this.#tunnel.close();
  }
}
