import { useNavigate } from '@tanstack/react-router';
import { Maximize, Minus, Plus } from 'lucide-react';
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import type { Box, Topology } from './topology-layout.ts';
import { TopologyView } from './topology-view.ts';

const step = 60;
const zoomStep = 1.25;

/** The picture: moved by dragging or arrow keys, zoomed by wheel, two fingers, plus and minus. */
export const TopologyPicture = ({
  topology,
  network,
  isFound,
  onNetwork,
}: {
  readonly topology: Topology;
  readonly network: string | null;
  readonly isFound: ((box: Box) => boolean) | null;
  readonly onNetwork: (network: string) => void;
}) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<TopologyView>(null);
  const id = useId();
  const navigate = useNavigate();
  const picked = useEffectEvent((box: Box | null) => {
    if (box?.kind === 'network') onNetwork(box.name);
    else if (box?.kind === 'node') void navigate({ to: '/nodes/$node', params: { node: box.name } });
    else if (box?.kind === 'switch')
      void navigate({ to: '/switches/$switch', params: { switch: box.name }, search: {} });
  });
  useEffect(() => {
    if (canvas.current === null) return;
    const opened = new TopologyView(canvas.current, (box) => picked(box));
    view.current = opened;
    return () => opened.close();
  }, []);
  useEffect(() => view.current?.show(topology, { network, isFound }), [topology, network, isFound]);
  // What was found comes to the middle, unless there is so much of it that the whole is the better view.
  const onlyFound = isFound === null ? [] : topology.boxes.filter(isFound).slice(0, 2);
  const one = onlyFound.length === 1 ? onlyFound[0] : undefined;
  useEffect(() => {
    if (one !== undefined) view.current?.centre(one);
  }, [one]);
  const onKey = (event: KeyboardEvent): void => {
    const act = keys[event.key];
    if (act === undefined || view.current === null || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    act(view.current);
  };
  return (
    <div className="relative">
      <div
        role="application"
        aria-label="Picture of the topology"
        aria-describedby={id}
        tabIndex={0}
        onKeyDown={onKey}
        className="h-[max(18rem,calc(100dvh-22rem))] overflow-hidden focus-visible:outline-offset-[-2px]"
      >
        <canvas ref={canvas} aria-hidden className="size-full cursor-grab touch-none active:cursor-grabbing" />
      </div>
      <div className="absolute top-3 right-3 flex gap-1">
        <Button aria-label="Zoom in" className="px-2!" onClick={() => view.current?.zoom(zoomStep)}>
          <Plus size={14} aria-hidden />
        </Button>
        <Button aria-label="Zoom out" className="px-2!" onClick={() => view.current?.zoom(1 / zoomStep)}>
          <Minus size={14} aria-hidden />
        </Button>
        <Button aria-label="Show everything" className="px-2!" onClick={() => view.current?.fit()}>
          <Maximize size={14} aria-hidden />
        </Button>
      </div>
      <p id={id} className="border-t border-line px-3.5 py-2 text-fine text-dim">
        Drag or use the arrow keys to move, wheel or + and − to zoom, 0 to show everything. A click on a network
        highlights all that it touches; on a node or switch it opens its page. The list below says the same.
      </p>
    </div>
  );
};

const keys: Readonly<Record<string, (view: TopologyView) => void>> = {
  ArrowLeft: (view) => view.move(step, 0),
  ArrowRight: (view) => view.move(-step, 0),
  ArrowUp: (view) => view.move(0, step),
  ArrowDown: (view) => view.move(0, -step),
  '+': (view) => view.zoom(zoomStep),
  '=': (view) => view.zoom(zoomStep),
  '-': (view) => view.zoom(1 / zoomStep),
  '0': (view) => view.fit(),
};
