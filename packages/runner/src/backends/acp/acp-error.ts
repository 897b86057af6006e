import { RequestError } from '@agentclientprotocol/sdk'
import type { TurnError } from '../backend.ts'
import { errorOfStatus } from '../errors.ts'
import { isRecord } from '../../json.ts'

const AUTH_REQUIRED = -32_000

/** The protocol has no error classes, so the class is derived from common messages. */
export function errorOfAgent(cause: unknown): TurnError {
  if (!(cause instanceof RequestError)) {
    return { kind: 'protocol', message: cause instanceof Error ? cause.message : String(cause) }
  }
  const message = [cause.message, detailsIn(cause.data)].filter(Boolean).join(': ')
  if (cause.code === AUTH_REQUIRED) return { kind: 'auth', message }
  const status = /\b(?<status>[45]\d\d)\b/u.exec(message)?.groups?.['status']
  return status === undefined ? { kind: 'protocol', message } : errorOfStatus(Number(status), message)
}

function detailsIn(data: unknown): string {
  if (typeof data === 'string') return data
  const details = isRecord(data) ? (data['details'] ?? data['message']) : undefined
  return typeof details === 'string' ? details : ''
}
