import type { Bug } from './bug.ts'

const DATABASE = 'packages/store/src/database/database.ts'
const TREE_COMMAND = 'packages/engine/src/commands/tree-command.ts'
const WAKEUPS = 'packages/engine/src/wakeups.ts'

/** Transactions, retries and notifications that do less than they promise. */
export const STORE_BUGS: readonly Bug[] = [
  {
    name: 'acknowledged-before-commit',
    what: 'The answer is sent while the transaction is still being committed.',
    edits: [
      {
        file: DATABASE,
        find: 'await writeAndCommit(client, write)',
        replace:
          "for (const make of write) await run(client, make())\n        client.query('commit').catch(() => undefined)",
      },
    ],
  },
  {
    name: 'retry-not-recognised',
    what: 'A command that is sent again after a lost answer is carried out again.',
    edits: [
      {
        file: TREE_COMMAND,
        find: 'read: (row) => ({ ...load.read(row), below }),',
        replace:
          'read: (row) => ({ ...load.read(row), below, ...(command.isKeyed && { earlier: undefined }) }),',
      },
    ],
  },
  {
    name: 'tree-not-locked',
    what: 'Two commands on one tree are carried out at once.',
    edits: [
      {
        file: 'packages/store/functions/load_tree.sql',
        find: "is_done := pg_advisory_xact_lock(hashtextextended(tenant::text || '/' || tree, 2)) is not null;",
        replace: '',
      },
    ],
  },
  {
    name: 'feed-gap',
    what: 'The feed of the fleet misses some of the changes.',
    edits: [
      {
        file: 'packages/store/functions/write_tree.sql',
        find: 'last_events[n], at from generate_series(1, cardinality(ids)) as n;',
        replace:
          'last_events[n], at from generate_series(1, cardinality(ids)) as n where last_events[n] % 5 <> 0;',
      },
      {
        file: 'packages/store/functions/write_change.sql',
        find: 'values (tenant, its_id, first_event, last_event, at);',
        replace: 'select tenant, its_id, first_event, last_event, at where last_event % 5 <> 0;',
      },
    ],
  },
  {
    name: 'wake-up-lost',
    what: 'Other servers are not told of a change, and nobody looks again.',
    edits: [
      { file: WAKEUPS, find: 'await this.#bus.notify(keys)', replace: '' },
      {
        file: WAKEUPS,
        find: 'this.#safetyNet = setInterval(() => void this.#catchUp(), SAFETY_NET_MS)',
        replace: '',
      },
    ],
  },
]
