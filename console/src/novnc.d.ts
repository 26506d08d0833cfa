/** What the pages use of noVNC, which has no types of its own. */
declare module '@novnc/novnc' {
  interface RfbEvents {
    readonly connect: Event;
    readonly disconnect: CustomEvent<{ readonly clean: boolean }>;
    readonly securityfailure: CustomEvent<{ readonly status: number; readonly reason?: string }>;
    readonly credentialsrequired: CustomEvent<{ readonly types: readonly string[] }>;
    readonly desktopname: CustomEvent<{ readonly name: string }>;
  }

  export default class RFB {
    constructor(target: HTMLElement, channel: WebSocket, options?: { readonly shared?: boolean });
    viewOnly: boolean;
    scaleViewport: boolean;
    background: string;
    addEventListener<E extends keyof RfbEvents>(type: E, listener: (event: RfbEvents[E]) => void): void;
    focus(): void;
    blur(): void;
    sendCtrlAltDel(): void;
    disconnect(): void;
  }
}
