/** How a line of a diff is marked, and what a screen reader says. Apart from what calculates diffs, which is large. */
export const SIGNS = {
  same: { mark: ' ', name: '' },
  added: { mark: '+', name: 'added' },
  removed: { mark: '−', name: 'removed' },
} as const
