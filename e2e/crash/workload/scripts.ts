import { createHash } from 'node:crypto'
import { scriptOf, type Random, type Step } from '@skein/testkit'
import { LEASE_MS } from '../installation/install.ts'
import { CHILDREN } from './paths.ts'

/** Short, and ends by itself. What it says and spends is unique within the run, so it can be counted. */
export function randomScript(random: Random): string {
  const mark = random.below(1_000_000_000)
  const steps: Step[] = []
  if (random.chance(0.4)) steps.push({ do: 'say', text: `before ${mark}` })
  steps.push({ do: 'work', ms: 20 + random.below(300) })
  if (random.chance(0.1)) {
    // The next attempt doesn't stall, and is still working when the silent one reports its end.
    steps.push(
      { do: 'stall', ms: LEASE_MS + random.below(LEASE_MS / 2) },
      { do: 'work', ms: 500 + random.below(2_000) },
    )
  }
  if (random.chance(0.4)) steps.push({ do: 'spend', cost: 0.01, tokens: mark })
  if (random.chance(0.2)) steps.push({ do: 'push', files: ['src/a.ts'] })
  steps.push(
    random.weighted<Step>([
      [46, { do: 'rest' }],
      [18, { do: 'ask', question: 'Which one?' }],
      [12, { do: 'await', children: CHILDREN }],
      [12, { do: 'finish' }],
      [5, { do: 'pause', ms: random.below(1_000) }],
      [5, { do: 'fail', isRetryable: true }],
      [2, { do: 'fail', isRetryable: false }],
    ]),
  )
  return scriptOf(...steps)
}

/** A child that is still working when its parent starts to wait, and then ends without needing it. */
export const CHILD_SCRIPT = scriptOf({ do: 'work', ms: 1_000 }, { do: 'finish' })

/** A child that uses up all its attempts, while its own child is live. */
export const FAILING_CHILD_SCRIPT = scriptOf({ do: 'work', ms: 1_000 }, { do: 'fail', isRetryable: true })
export const RESTING_SCRIPT = scriptOf({ do: 'rest' })

export const PARENT_SCRIPT = scriptOf({ do: 'await', children: CHILDREN })

/** As in the runners' logs. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}
