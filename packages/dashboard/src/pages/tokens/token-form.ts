import type { Document } from '@skein/resource-files'

export interface TokenForm {
  readonly name: string
  readonly role: string
  readonly account: string
  readonly description: string
  /** In days; empty means it never expires. */
  readonly expiresInDays: string
  readonly pools: readonly string[]
}

const DAY_MS = 86_400_000

/** The document of a new token. */
export function toTokenDocument(form: TokenForm, nowMs: number): Document {
  const days = readDays(form.expiresInDays)
  return {
    role: form.role,
    account: form.account.trim(),
    ...(form.description.trim() !== '' && { description: form.description.trim() }),
    ...(form.role === 'runner' && { pools: form.pools }),
    ...(days !== undefined && { expireTime: new Date(nowMs + days * DAY_MS).toISOString() }),
  }
}

export function checkTokenForm({
  account,
  expiresInDays,
  role,
  pools,
}: TokenForm): Readonly<Record<string, string>> {
  const problems: Record<string, string> = {}
  if (account.trim() === '') problems['account'] = 'Enter the account the key acts as.'
  if (expiresInDays !== '' && readDays(expiresInDays) === undefined)
    problems['expireTime'] = 'Enter a number of days from 1 to 3650.'
  if (role === 'runner' && pools.length === 0) problems['pools'] = 'Select the pools that the runner serves.'
  return problems
}

function readDays(text: string): number | undefined {
  const days = text === '' ? Number.NaN : Number(text)
  return days > 0 && days <= 3650 ? days : undefined
}
