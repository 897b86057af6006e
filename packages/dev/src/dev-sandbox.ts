/** Sandboxes for agents on this machine. */
export type DevSandbox = 'process' | 'bubblewrap'
