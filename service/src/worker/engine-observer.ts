/** Who wants to know what the engine does; the metrics do. */
export interface Observer {
  actionSettled(onSwitch: string, status: 'DONE' | 'ERROR', seconds: number): void;
  passDone(onSwitch: string, outcome: 'ok' | 'fault', seconds: number): void;
}
