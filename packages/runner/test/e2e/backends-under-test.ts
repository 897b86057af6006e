/** Both backends with a model of each. */
export const BACKENDS = [
  { backend: 'a', model: 'claude-sonnet-5' },
  { backend: 'b', model: 'gpt-5.5' },
] as const
