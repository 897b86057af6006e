import { SkeinError } from '@skein/contract'
import { describe, expect, test } from 'vitest'
import { sendOrStart } from '../../src/automations/send-or-start.ts'

/** Refuses commands for the given reasons, in this order; the others succeed. */
function commandsRefused(...reasons: (ConstructorParameters<typeof SkeinError>[0] | undefined)[]) {
  const tried: string[] = []
  const command = (name: string) => (suffix: string) => {
    tried.push(name + suffix)
    const reason = reasons.shift()
    return reason === undefined ? Promise.resolve(name) : Promise.reject(new SkeinError(reason))
  }
  return { tried, send: command('send'), start: command('start') }
}

describe('sending to an agent that may have to be started', () => {
  test('starts only what is not alive', async () => {
    const alive = commandsRefused()
    expect(await sendOrStart(alive)).toBe('send')
    const ended = commandsRefused('AGENT_NOT_RUNNING')
    expect(await sendOrStart(ended)).toBe('start')
    expect(ended.tried).toEqual(['send', 'start'])
  })

  test('sends again when somebody else started it, with an id of its own', async () => {
    const commands = commandsRefused('AGENT_NOT_FOUND', 'AGENT_ALREADY_EXISTS', 'AGENT_NOT_RUNNING')
    expect(await sendOrStart(commands)).toBe('start')
    expect(commands.tried).toEqual(['send', 'start', 'send-2', 'start-2'])
  })

  test('gives up when the agent is started and ended over and over', async () => {
    const forever = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? ('AGENT_NOT_RUNNING' as const) : ('AGENT_ALREADY_EXISTS' as const),
    )
    const commands = commandsRefused(...forever)
    await expect(sendOrStart(commands)).rejects.toMatchObject({ reason: 'AGENT_ALREADY_EXISTS' })
    expect(commands.tried).toHaveLength(6)
  })

  test('passes on every other refusal', async () => {
    const commands = commandsRefused('AGENT_NOT_FOUND', 'QUOTA_EXCEEDED')
    await expect(sendOrStart(commands)).rejects.toMatchObject({ reason: 'QUOTA_EXCEEDED' })
  })
})
