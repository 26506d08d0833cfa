import { lookOf } from '../ui/network-colour.ts';
import { hexOf } from '../ui/theme-at.ts';
import type { Box, Line, Topology } from './topology-layout.ts';

/** What stands out; the rest is faint. */
export interface Emphasis {
  readonly network: string | null;
  /** What was searched for. */
  readonly isFound: ((box: Box) => boolean) | null;
}

/** What of the topology is in view. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

type Colours = Readonly<Record<'panel' | 'line' | 'text' | 'accent', string>>;

/** Names are written from this zoom on; below it, they could not be read. */
const readableZoom = 0.45;
const faint = 0.1;

/** Paints what is in view of a topology, and no more, in the colours of the theme. */
export class TopologyPainter {
  readonly #canvas: HTMLCanvasElement;
  readonly #fills = new Map<string, string | CanvasPattern>();
  #colours: Colours = { panel: '', line: '', text: '', accent: '' };

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.readTheme();
  }

  /** Takes the colours as they are now. */
  readTheme(): void {
    this.#fills.clear();
    const place = this.#canvas.parentElement ?? document.body;
    this.#colours = {
      panel: hexOf(place, '--panel'),
      line: hexOf(place, '--line-strong'),
      text: hexOf(place, '--text'),
      accent: hexOf(place, '--accent'),
    };
  }

  paint(topology: Topology, emphasis: Emphasis, { x, y, zoom }: Place): void {
    const context = this.#canvas.getContext('2d');
    if (context === null) return;
    const { clientWidth, clientHeight } = this.#canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    context.scale(devicePixelRatio, devicePixelRatio);
    context.translate(x, y);
    context.scale(zoom, zoom);
    const view = {
      left: -x / zoom,
      top: -y / zoom,
      right: (clientWidth - x) / zoom,
      bottom: (clientHeight - y) / zoom,
    };
    for (const line of topology.lines) {
      const [upper, lower] = [line.from.y, line.to.y + line.to.height];
      if (Math.max(line.from.x, line.to.x) + 160 < view.left || Math.min(line.from.x, line.to.x) > view.right) continue;
      if (lower < view.top || upper > view.bottom) continue;
      this.#paintLine(context, line, emphasis);
    }
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (const box of topology.boxes) {
      if (box.x + box.width < view.left || box.x > view.right || box.y + box.height < view.top || box.y > view.bottom)
        continue;
      this.#paintBox(context, box, emphasis, zoom >= readableZoom);
    }
    context.globalAlpha = 1;
  }

  #paintLine(context: CanvasRenderingContext2D, { from, to, networks }: Line, { network }: Emphasis): void {
    const stands = network !== null && networks.includes(network);
    const carried = stands ? network : to.kind === 'network' ? to.name : null;
    context.globalAlpha = stands ? 1 : network === null ? (to.kind === 'network' ? 0.35 : 0.5) : faint;
    context.strokeStyle = carried === null ? this.#colours.line : this.#colourOf(carried);
    context.lineWidth = stands ? 2.5 : 1;
    const [startX, startY] = [from.x + from.width / 2, from.y + from.height];
    const [endX, endY] = [to.x + to.width / 2, to.y];
    const middle = (startY + endY) / 2;
    context.beginPath();
    context.moveTo(startX, startY);
    context.bezierCurveTo(startX, middle, endX, middle, endX, endY);
    context.stroke();
  }

  #paintBox(context: CanvasRenderingContext2D, box: Box, { network, isFound }: Emphasis, isReadable: boolean): void {
    const { kind, name, x, y, width, height, networks } = box;
    const isTouched = network === null || networks.includes(network);
    const found = isFound?.(box) ?? false;
    context.globalAlpha = isTouched || found ? 1 : 0.25;
    context.fillStyle = this.#colours.panel;
    context.strokeStyle = found ? this.#colours.accent : kind === 'switch' ? this.#colours.text : this.#colours.line;
    context.lineWidth = found ? 3 : kind === 'switch' ? 2 : 1;
    context.beginPath();
    context.roundRect(x, y, width, height, kind === 'network' ? height / 2 : 4);
    context.fill();
    context.stroke();
    // A node has the colours of its networks at its edge; a network its own.
    const shown = kind === 'switch' ? [] : networks.slice(0, 4);
    shown.forEach((each, index) => {
      context.fillStyle = this.#fillOf(each, context);
      context.fillRect(x + (kind === 'network' ? 10 : 5) + index * 11, y + height / 2 - 5, 9, 10);
    });
    if (!isReadable) return;
    const left = shown.length === 0 ? 8 : (kind === 'network' ? 10 : 5) + shown.length * 11 + 4;
    context.fillStyle = this.#colours.text;
    context.fillText(fitted(context, name, width - left - 6), x + left, y + height / 2 + 0.5);
  }

  #colourOf(network: string): string {
    const { colour } = lookOf(network);
    return this.#known(colour, () => hexOf(this.#canvas.parentElement ?? document.body, colour)) as string;
  }

  /** Its colour with its pattern, as everywhere. */
  #fillOf(network: string, context: CanvasRenderingContext2D): string | CanvasPattern {
    const { colour, pattern } = lookOf(network);
    const plain = this.#colourOf(network);
    return pattern === 'plain'
      ? plain
      : this.#known(`${colour} ${pattern}`, () => context.createPattern(tile(plain, pattern), 'repeat') ?? plain);
  }

  #known(key: string, make: () => string | CanvasPattern): string | CanvasPattern {
    const known = this.#fills.get(key) ?? make();
    this.#fills.set(key, known);
    return known;
  }
}

/** A piece of a pattern, to be repeated. */
const tile = (colour: string, pattern: 'stripes' | 'dots'): HTMLCanvasElement => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 6;
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  context.fillStyle = colour;
  context.fillRect(0, 0, 6, 6);
  context.fillStyle = 'rgb(255 255 255 / 60%)';
  if (pattern === 'stripes') for (let at = 0; at < 6; at += 1) context.fillRect((6 - at) % 6, at, 2, 1);
  else context.fillRect(2, 2, 2, 2);
  return canvas;
};

const fitted = (context: CanvasRenderingContext2D, text: string, width: number): string => {
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > width) end -= 1;
  return `${text.slice(0, end)}…`;
};
