import { waitFor } from '@skein/testkit'
import { expect, test } from 'vitest'
import { repeatAlone } from '../../src/http/repeat-alone.ts'

test('slow work is not started again before it is done, and repeats afterwards', async () => {
  let begun = 0
  let ticks = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = repeatAlone(() => {
    begun += 1
    return promise
  }, 1)
  const clock = setInterval(() => (ticks += 1), 1)
  try {
    await waitFor(() => begun > 0 && ticks > 20, { what: 'several turns' })
    expect(begun).toBe(1)
    resolve()
    await waitFor(() => begun > 2, { what: 'the next turns' })
  } finally {
    clearInterval(timer)
    clearInterval(clock)
  }
})
