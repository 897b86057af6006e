import { InvalidArgumentError } from 'commander'

/** Collects repeated --label key=value options. */
export function collectLabel(
  text: string,
  labels: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? []
  if (key === undefined || value === undefined) throw new InvalidArgumentError('Write it as key=value.')
  return { ...labels, [key]: value }
}
