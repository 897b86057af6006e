import type { Bug } from './bug.ts'

const PHASES = 'packages/core/src/agent/phases.ts'

/** Parents and children that lose track of each other. */
export const TREE_BUGS: readonly Bug[] = [
  {
    name: 'kill-misses-child',
    what: 'A kill leaves children alive that are not running.',
    edits: [
      {
        file: 'packages/core/src/agent/kill-agent.ts',
        find: 'const live = changes.filter(({ agent }) => isLive(agent))',
        replace:
          "const live = changes.filter(({ agent }, place) => isLive(agent) && (place === 0 || agent.phase === 'PHASE_RUNNING'))",
      },
    ],
  },
  {
    name: 'orphan-spawned',
    what: 'A child can be spawned under a parent that has ended.',
    edits: [
      {
        file: 'packages/core/src/agent/spawn-agent.ts',
        find: 'if (isChild && !isLive(parent)) {',
        replace: 'if (isChild && !parent) {',
      },
    ],
  },
  {
    name: 'failure-spares-children',
    what: 'The children of an agent that fails for good live on.',
    edits: [
      {
        file: 'packages/core/src/runs/run-endings.ts',
        find: 'const killed = killAll(subtree, change, now)',
        replace: 'const killed = killAll(subtree.slice(0, 0), change, now)',
      },
    ],
  },
  {
    name: 'parent-not-woken',
    what: 'A parent that awaits its children is not told when the last one has ended.',
    edits: [
      {
        file: PHASES,
        find: 'if (parent.agent.awaits.length === 0 || needsParent(child)) queueRun(parent, parent.at, undefined)',
        replace: 'if (needsParent(child)) queueRun(parent, parent.at, undefined)',
      },
    ],
  },
]
