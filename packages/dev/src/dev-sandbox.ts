/** What agents can be kept in on this machine. */
export type DevSandbox = 'process' | 'bubblewrap'
