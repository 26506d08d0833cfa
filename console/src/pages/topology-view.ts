import { watchTheme } from '../ui/theme-at.ts';
import type { Box, Topology } from './topology-layout.ts';
import { type Emphasis, TopologyPainter } from './topology-painter.ts';

const [leastZoom, mostZoom] = [0.04, 4] as const;
const margin = 16;

/** Draws a topology on a canvas: what is in view, and no more. It is moved and zoomed with pointer, wheel and calls. */
export class TopologyView {
  readonly #canvas: HTMLCanvasElement;
  readonly #pick: (box: Box | null) => void;
  readonly #undo: (() => void)[] = [];
  readonly #pointers = new Map<number, { readonly x: number; readonly y: number }>();
  readonly #painter: TopologyPainter;
  #topology: Topology = { boxes: [], lines: [], width: 1, height: 1 };
  #emphasis: Emphasis = { network: null, isFound: null };
  #at = { x: 0, y: 0, zoom: 1 };
  #frame = 0;
  #wasMoved = false;
  #isFitted = true;

  constructor(canvas: HTMLCanvasElement, pick: (box: Box | null) => void) {
    this.#canvas = canvas;
    this.#pick = pick;
    this.#painter = new TopologyPainter(canvas);
    const listen = <E extends keyof HTMLElementEventMap>(
      type: E,
      to: (event: HTMLElementEventMap[E]) => void,
    ): void => {
      canvas.addEventListener(type, to, { passive: false });
      this.#undo.push(() => canvas.removeEventListener(type, to));
    };
    listen('wheel', (event) => {
      event.preventDefault();
      this.#zoomAt(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    });
    listen('pointerdown', (event) => this.#press(event));
    listen('pointermove', (event) => this.#drag(event));
    listen('pointerup', (event) => this.#release(event));
    listen('pointercancel', ({ pointerId }) => void this.#pointers.delete(pointerId));
    const resized = new ResizeObserver(() => this.#resize());
    resized.observe(canvas);
    this.#undo.push(
      () => resized.disconnect(),
      watchTheme(() => {
        this.#painter.readTheme();
        this.#draw();
      }),
      () => cancelAnimationFrame(this.#frame),
    );
  }

  show(topology: Topology, emphasis: Emphasis): void {
    const isOther = topology.width !== this.#topology.width || topology.height !== this.#topology.height;
    this.#topology = topology;
    this.#emphasis = emphasis;
    // What one looks at stays where it is, unless the whole is in view.
    if (this.#isFitted && isOther) this.fit();
    else this.#draw();
  }

  /** Shows everything. */
  fit(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    const { width, height } = this.#topology;
    const zoom = Math.min((clientWidth - 2 * margin) / width, (clientHeight - 2 * margin) / height, 1.5);
    this.#at = {
      zoom: Math.max(zoom, leastZoom),
      x: (clientWidth - width * zoom) / 2,
      y: (clientHeight - height * zoom) / 2,
    };
    this.#isFitted = true;
    this.#draw();
  }

  zoom(factor: number): void {
    this.#zoomAt(factor, this.#canvas.clientWidth / 2, this.#canvas.clientHeight / 2);
  }

  move(x: number, y: number): void {
    this.#at = { ...this.#at, x: this.#at.x + x, y: this.#at.y + y };
    this.#isFitted = false;
    this.#draw();
  }

  /** Brings something to the middle, large enough to be read. */
  centre({ x, y, width, height }: Box): void {
    const zoom = Math.max(this.#at.zoom, 1);
    this.#at = {
      zoom,
      x: this.#canvas.clientWidth / 2 - (x + width / 2) * zoom,
      y: this.#canvas.clientHeight / 2 - (y + height / 2) * zoom,
    };
    this.#isFitted = false;
    this.#draw();
  }

  close(): void {
    for (const step of this.#undo.splice(0).reverse()) step();
  }

  #zoomAt(factor: number, x: number, y: number): void {
    const { zoom: before } = this.#at;
    const zoom = Math.min(Math.max(before * factor, leastZoom), mostZoom);
    const by = zoom / before;
    this.#at = { zoom, x: x - (x - this.#at.x) * by, y: y - (y - this.#at.y) * by };
    this.#isFitted = false;
    this.#draw();
  }

  #press(event: PointerEvent): void {
    this.#canvas.setPointerCapture(event.pointerId);
    if (this.#pointers.size === 0) this.#wasMoved = false;
    this.#pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  }

  /** One pointer moves it, two zoom it. */
  #drag({ pointerId, offsetX: x, offsetY: y }: PointerEvent): void {
    const before = this.#pointers.get(pointerId);
    if (before === undefined) return;
    const other = [...this.#pointers].find(([id]) => id !== pointerId)?.[1];
    if (other !== undefined) {
      const apart = (point: { x: number; y: number }): number => Math.hypot(point.x - other.x, point.y - other.y) || 1;
      this.#zoomAt(apart({ x, y }) / apart(before), (x + other.x) / 2, (y + other.y) / 2);
      this.#wasMoved = true;
    } else {
      // A press that trembles is still a press.
      if (!this.#wasMoved && Math.hypot(x - before.x, y - before.y) < 4) return;
      this.#wasMoved = true;
      this.move(x - before.x, y - before.y);
    }
    this.#pointers.set(pointerId, { x, y });
  }

  #release({ pointerId, offsetX, offsetY }: PointerEvent): void {
    this.#pointers.delete(pointerId);
    if (this.#wasMoved) return;
    const x = (offsetX - this.#at.x) / this.#at.zoom;
    const y = (offsetY - this.#at.y) / this.#at.zoom;
    const isUnder = (box: Box): boolean =>
      x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
    this.#pick(this.#topology.boxes.find(isUnder) ?? null);
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    this.#canvas.width = Math.round(clientWidth * devicePixelRatio);
    this.#canvas.height = Math.round(clientHeight * devicePixelRatio);
    if (this.#isFitted) this.fit();
    else this.#draw();
  }

  /** At the next frame, once. */
  #draw(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#painter.paint(this.#topology, this.#emphasis, this.#at));
  }
}
