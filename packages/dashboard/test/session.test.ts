import { SkeinApiError } from '@skein/client'
import {
  grantableRoles,
  mustJustify,
  permissionsInTeam,
  permissionsOf,
  type Role,
  type TeamRole,
} from '@skein/contract/facts'
import { describe, expect, it } from 'vitest'
import { canDriveAgent, explainNoDrive } from '../src/session/drive-rights.ts'
import type { SignedIn } from '../src/session/identity.ts'
import { makeSendOnce, type Attempt } from '../src/session/send-once.ts'
import { AGENT } from './agent/agent-events.ts'

/** Keys are counted, and a second passes with each. */
function makeSender() {
  let made = 0
  const sendOnce = makeSendOnce({ makeKey: () => `key-${++made}`, now: () => made * 1_000 })
  return {
    succeed: (request: unknown) => sendOnce(request, (attempt) => Promise.resolve(attempt)),
    fail: (request: unknown, error: Error = new Error('The answer was lost.')) => {
      let sent: Attempt | undefined
      return sendOnce(request, (attempt) => {
        sent = attempt
        return Promise.reject(error)
      }).catch(() => sent)
    },
  }
}

const refusal = (isRetryable: boolean) =>
  new SkeinApiError('No.', {
    requestId: 'r',
    status: 400,
    code: 'FAILED_PRECONDITION',
    reason: 'AGENT_NOT_RUNNING',
    details: [],
    retryDelayMs: undefined,
    isRetryable,
  })

describe('a request that must not be carried out twice', () => {
  it('keeps its key and its time when it is sent again after a lost answer', async () => {
    const { succeed, fail } = makeSender()
    const first = await fail(['Go on.', 'later'])
    expect(first).toMatchObject({ idempotencyKey: 'key-1', firstMs: 1_000 })
    expect(await fail(['Go on.', 'later'])).toEqual(first)
    expect(await succeed(['Go on.', 'later'])).toEqual(first)
  })

  it('is another one when something of it has changed', async () => {
    const { succeed, fail } = makeSender()
    await fail('Go on.')
    expect(await succeed('Go back.')).toMatchObject({ idempotencyKey: 'key-2' })
  })

  it('is a new one after a response: someone may send the same message twice', async () => {
    const { succeed } = makeSender()
    await succeed('Go on.')
    expect(await succeed('Go on.')).toMatchObject({ idempotencyKey: 'key-2' })
  })

  it('is a new one after a permanent rejection: under the same key it would be rejected again', async () => {
    const { succeed, fail } = makeSender()
    await fail('Go on.', refusal(false))
    expect(await succeed('Go on.')).toMatchObject({ idempotencyKey: 'key-2' })
  })

  it('keeps its key when the service asks to be asked again', async () => {
    const { succeed, fail } = makeSender()
    await fail('Go on.', refusal(true))
    expect(await succeed('Go on.')).toMatchObject({ idempotencyKey: 'key-1' })
  })
})

describe('who may drive an agent', () => {
  const { tenant, ownerProvider, account } = AGENT
  const identity = (role: Role, owner: Partial<SignedIn> = {}): SignedIn => ({
    tenant,
    ownerProvider,
    account,
    role,
    token: 't',
    expireTime: '',
    permissions: [...permissionsOf(role)],
    grantableRoles: [...grantableRoles(role)],
    mustJustify: mustJustify(role),
    workspaces: [],
    ...owner,
  })

  const inTeam = (role: TeamRole, workspace: string, who = 'mia') => {
    const permissions = [...permissionsInTeam('member', role)]
    return identity('member', { account: who, workspaces: [{ workspace, team: 'red', permissions }] })
  }

  it('is its owner, unless that one may only look', () => {
    expect(canDriveAgent(identity('member'), AGENT)).toBe(true)
    expect(canDriveAgent(identity('viewer'), AGENT)).toBe(false)
  })

  it('is not another member, not even one with the same name from another provider', () => {
    expect(canDriveAgent(identity('member', { account: 'mia' }), AGENT)).toBe(false)
    const elsewhere = identity('member', { ownerProvider: 'PROVIDER_SERVICE_PROFILE' })
    expect(canDriveAgent(elsewhere, AGENT)).toBe(false)
  })

  it('is every admin and operator', () => {
    expect(canDriveAgent(identity('admin', { account: 'mia' }), AGENT)).toBe(true)
    expect(canDriveAgent(identity('operator', { account: 'mia' }), AGENT)).toBe(true)
  })

  it('follows the role in a team, in the workspaces of the team', () => {
    expect(canDriveAgent(inTeam('lead', AGENT.workspace), AGENT)).toBe(true)
    expect(canDriveAgent(inTeam('lead', 'elsewhere'), AGENT)).toBe(false)
    expect(canDriveAgent(inTeam('viewer', AGENT.workspace, account), AGENT)).toBe(false)
    expect(explainNoDrive(inTeam('viewer', AGENT.workspace, account), AGENT, 'write')).toBe(
      'Your role in the team red is read-only: you cannot write.',
    )
  })

  it('is named to those who cannot', () => {
    expect(explainNoDrive(identity('member', { account: 'mia' }), AGENT, 'write')).toBe(
      `Only ${account} and admins can write.`,
    )
    expect(explainNoDrive(identity('viewer'), AGENT, 'write')).toBe(
      'Your role is read-only: you cannot write.',
    )
  })
})
