import { InvalidArgumentError } from 'commander'

export function parseDollars(text: string): number {
  const dollars = Number(text.replace(/^\$/, '') || Number.NaN)
  if (!Number.isFinite(dollars) || dollars < 0) throw new InvalidArgumentError('Write it as 2.50.')
  return dollars
}
