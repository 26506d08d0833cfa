import { useEffect, useState } from 'react';

/** Fills the window, and the screen if the browser lets it; the browser's own way out of it counts too. */
export const useFullScreen = (): readonly [boolean, (isFull: boolean) => void] => {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const changed = (): void => {
      if (document.fullscreenElement === null) setFull(false);
    };
    document.addEventListener('fullscreenchange', changed);
    return () => {
      document.removeEventListener('fullscreenchange', changed);
      if (document.fullscreenElement !== null) void document.exitFullscreen();
    };
  }, []);
  const change = (next: boolean): void => {
    setFull(next);
    if (next) document.documentElement.requestFullscreen().catch(() => undefined);
    else if (document.fullscreenElement !== null) void document.exitFullscreen();
  };
  return [isFull, change];
};
