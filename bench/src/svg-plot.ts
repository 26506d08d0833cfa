/** One line of a plot. */
interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

interface Axis {
  readonly label: string;
  /** Powers of ten at equal distances. */
  readonly isLogarithmic?: boolean;
}

/** What is drawn, and the name of its file. */
export interface Plot {
  readonly name: string;
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

const size = { width: 720, height: 400 };
const edge = { left: 76, right: 190, top: 44, bottom: 54 };
/** Told apart also by those who do not see red and green, on light and on dark ground. */
const colours = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#d55e00', '#56b4e9'];
const ink = '#808080';

/** A place between 0 and 1 for each value of an axis, and the values that are written beside it. */
interface Scale {
  readonly placeOf: (value: number) => number;
  readonly ticks: readonly number[];
}

const logarithmicScale = (values: readonly number[]): Scale => {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    placeOf: (value) => (Math.log10(value) - low) / (high - low),
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
  };
};

const linearScale = (values: readonly number[]): Scale => {
  const most = Math.max(...values, Number.MIN_VALUE);
  const unit = 10 ** Math.floor(Math.log10(most / 2));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((each) => most / each <= 6) ?? unit;
  const count = Math.ceil(most / step);
  return {
    placeOf: (value) => value / (count * step),
    ticks: Array.from({ length: count + 1 }, (_, index) => index * step),
  };
};

const scaleOf = ({ isLogarithmic = false }: Axis, values: readonly number[]): Scale =>
  isLogarithmic ? logarithmicScale(values.filter((value) => value > 0)) : linearScale(values);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${ink}" ${more}>${escaped(words)}</text>`;

const line = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="${ink}" stroke-opacity="0.3"/>`;

const labelOf = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 });

/** Draws lines over two axes, without a script or a font of its own. */
export const svgOf = ({ title, x, y, series }: Plot): string => {
  const points = series.flatMap((each) => each.points);
  const across = scaleOf(
    x,
    points.map(([value]) => value),
  );
  const up = scaleOf(
    y,
    points.map(([, value]) => value),
  );
  const [left, right] = [edge.left, size.width - edge.right];
  const [top, bottom] = [edge.top, size.height - edge.bottom];
  const placeX = (value: number): number => left + across.placeOf(value) * (right - left);
  const placeY = (value: number): number => bottom - up.placeOf(value) * (bottom - top);
  const parts = [
    text(left, 24, title, 'font-size="15"'),
    text((left + right) / 2, size.height - 14, x.label, 'text-anchor="middle"'),
    text(18, (top + bottom) / 2, y.label, `text-anchor="middle" transform="rotate(-90 18 ${(top + bottom) / 2})"`),
    ...across.ticks.flatMap((value) => [
      line(placeX(value), top, placeX(value), bottom),
      text(placeX(value), bottom + 18, labelOf(value), 'text-anchor="middle"'),
    ]),
    ...up.ticks.flatMap((value) => [
      line(left, placeY(value), right, placeY(value)),
      text(left - 8, placeY(value) + 4, labelOf(value), 'text-anchor="end"'),
    ]),
  ];
  for (const [index, { name, points: own }] of series.entries()) {
    const colour = colours[index % colours.length] ?? ink;
    const places = own.map(([px, py]) => `${placeX(px).toFixed(1)},${placeY(py).toFixed(1)}`);
    parts.push(`<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    for (const place of places) {
      const [cx = '', cy = ''] = place.split(',');
      parts.push(`<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`);
    }
    const y0 = top + 8 + index * 20;
    parts.push(`<rect x="${right + 16}" y="${y0 - 6}" width="14" height="4" fill="${colour}"/>`);
    parts.push(text(right + 36, y0, name));
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12" role="img" aria-label="${escaped(title).replaceAll('"', '&quot;')}">\n${parts.join('\n')}\n</svg>\n`;
};
