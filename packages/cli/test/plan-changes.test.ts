import { expect, test } from 'vitest'
import { rankOf } from '../src/documents/plan-changes.ts'

test.each(['secret', 'pool', 'persona', 'environment', 'team', 'code-host'])(
  'a %s is written before the workspaces that refer to it',
  (kind) => {
    expect(rankOf({ kind })).toBeLessThan(rankOf({ kind: 'workspace' }))
  },
)
