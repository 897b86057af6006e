import type { Firing } from '@skein/client'

const WORDS = [
  ['FAILED', 'failed'],
  ['MISSED', 'missed'],
  ['SKIPPED', 'skipped'],
] as const

/** `40 firings, 2 failed, 1 skipped`. */
export function describeFirings(firings: readonly Pick<Firing, 'outcome'>[]): string {
  const parts = WORDS.flatMap(([outcome, word]) => {
    const amount = firings.filter((firing) => firing.outcome === outcome).length
    return amount === 0 ? [] : [`${amount} ${word}`]
  })
  const whole = firings.length === 1 ? '1 firing' : `${firings.length} firings`
  return [whole, ...(parts.length === 0 ? ['none failed'] : parts)].join(', ')
}
