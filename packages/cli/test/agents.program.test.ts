import { once } from 'node:events'
import { scriptOf, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCliWorld, type CliWorld } from './cli-world.ts'

let world: CliWorld

beforeAll(async () => {
  world = await startCliWorld()
})
afterAll(() => world.close())

async function spawnHanging(name: string, ...more: readonly string[]): Promise<void> {
  await world.json(['spawn', '--name', name, ...more, scriptOf({ do: 'hang' })])
  await waitFor(async () => (await world.json(['status', name]))['phase'] === 'PHASE_RUNNING', {
    what: `${name} to run`,
    timeoutMs: 20_000,
  })
}

describe('spawn', () => {
  test('prints the name of the agent and nothing else, so that a script can take it', async () => {
    const { stdout, stderr, exitCode } = await world.skein([
      'spawn',
      '--name',
      'plain',
      scriptOf({ do: 'rest' }),
    ])
    expect(stdout).toBe('shop/plain\n')
    expect(stderr).toContain('skein logs --follow shop/plain')
    expect(exitCode).toBe(0)
  })

  test('with --json prints one document', async () => {
    const document = await world.json([
      'spawn',
      '--name',
      'as-json',
      '--label',
      'team=shop',
      scriptOf({ do: 'rest' }),
    ])
    expect(Object.keys(document)).toEqual(['agent', 'agentId', 'followUpId', 'dashboardUrl'])
    expect(document['agent']).toBe('shop/as-json')
  })

  test('with --follow shows what the agent does and ends with it', async () => {
    const script = scriptOf(
      { do: 'say', text: 'I look around.\u001b[2J' },
      { do: 'spend', cost: 0.42, tokens: 10 },
      { do: 'push', files: ['a.ts', 'b.ts'] },
      { do: 'finish' },
    )
    const { stdout, stderr, exitCode } = await world.skein([
      'spawn',
      '--name',
      'followed',
      '--follow',
      script,
    ])
    expect(stderr).toContain('Spawned shop/followed')
    expect(stdout).toContain('I look around.\n')
    expect(stdout).toMatch(/↑ pushed x c, 2 files/)
    expect(stdout).toMatch(/✔ shop\/followed completed · \$0\.42 · \w+ · x\n$/)
    expect(stdout).not.toContain('\u001b')
    expect(exitCode).toBe(0)
  })

  test('with --follow and --json prints each event as a line', async () => {
    const script = scriptOf({ do: 'say', text: 'hello' }, { do: 'finish' })
    const { stdout } = await world.skein(['spawn', '--name', 'lines', '--follow', '--json', script])
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; sequence: string })
    expect(events[0]?.type).toBe('agent.spawned')
    expect(events.map(({ sequence }) => Number(sequence))).toEqual(events.map((_, index) => index + 1))
    expect(events.at(-1)?.type).toBe('agent.phase-changed')
  })

  test('with --wait ends with 10 when the agent fails, and says why', async () => {
    const script = scriptOf({ do: 'fail', isRetryable: false })
    const { stdout, exitCode } = await world.skein(['spawn', '--name', 'failing', '--wait', script])
    expect(stdout).toContain('✘ shop/failing failed')
    expect(stdout).toContain('as the script says')
    expect(exitCode).toBe(10)
  })

  test('shows what the agent asks and how to answer', async () => {
    const script = scriptOf({ do: 'ask', question: 'Which colour?' })
    const { stdout, exitCode } = await world.skein(['spawn', '--name', 'asking', '--follow', script])
    expect(stdout).toContain('? Which colour?')
    expect(stdout).toContain('skein send shop/asking')
    expect(exitCode).toBe(0)
  })

  test('reads the work from standard input', async () => {
    const { exitCode } = await world.skein(['spawn', '--name', 'piped', '--wait'], {
      input: scriptOf({ do: 'finish' }),
    })
    expect(exitCode).toBe(0)
  })

  test('over a live agent ends with 4 and says what to do', async () => {
    await spawnHanging('twice')
    const { stderr, exitCode } = await world.skein(['spawn', '--name', 'twice', 'again'])
    expect(stderr).toContain('skein send')
    expect(stderr).toContain('Request id: ')
    expect(exitCode).toBe(4)
  })
})

describe('status, ps and logs', () => {
  test('status shows a person what matters', async () => {
    await world.skein([
      'spawn',
      '--name',
      'seen',
      '--wait',
      '--task',
      'Write it down',
      scriptOf({ do: 'rest' }),
    ])
    const { stdout, exitCode } = await world.skein(['status', 'shop/seen'])
    expect(stdout).toMatch(/^agent +shop\/seen$/m)
    expect(stdout).toMatch(/^phase +waiting$/m)
    expect(stdout).toContain('☐ Write it down')
    expect(exitCode).toBe(0)
  })

  test('an unknown agent ends with 3 and the nearest name', async () => {
    await world.skein(['spawn', '--name', 'release', scriptOf({ do: 'rest' })])
    const { stderr, exitCode } = await world.skein(['status', 'relaese'])
    expect(stderr).toContain('Did you mean shop/release?')
    expect(exitCode).toBe(3)
  })

  test('an error is JSON on standard error with --json', async () => {
    const { stdout, stderr, exitCode } = await world.skein(['status', 'shop/nobody', '--json'])
    const { error } = JSON.parse(stderr) as { error: Record<string, string> }
    expect(Object.keys(error)).toEqual(['code', 'reason', 'message', 'next', 'requestId'])
    expect(error['reason']).toBe('AGENT_NOT_FOUND')
    expect(stdout).toBe('')
    expect(exitCode).toBe(3)
  })

  test('ps shows the tree, and ended agents only with --all', async () => {
    await spawnHanging('tree')
    await world.skein(['spawn', '--child-of', 'tree', '--name', 'leaf', scriptOf({ do: 'hang' })])
    const { stdout } = await world.skein(['ps'])
    expect(stdout).toMatch(/^AGENT +PHASE +COST +AGE +UPDATED +DETAILS$/m)
    expect(stdout).toMatch(/^shop\/tree .*\n└─ leaf /m)
    expect(stdout).not.toContain('shop/followed')
    const { agents } = await world.json(['ps', '--all'])
    const names = (agents as { agent: string }[]).map(({ agent }) => agent)
    expect(names).toContain('shop/tree/leaf')
    expect(names).toContain('shop/followed')
  })

  test('ps --watch shows the list again when it changes, and ends with Ctrl-C', async () => {
    const child = world.start(['ps', '--watch', '--json'])
    const ended = once(child, 'close')
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    await waitFor(() => printed.includes('\n'), { what: 'the first list', timeoutMs: 20_000 })
    await world.skein(['spawn', '--name', 'newcomer', scriptOf({ do: 'rest' })])
    await waitFor(() => printed.trim().split('\n').at(-1)?.includes('newcomer'), {
      what: 'the new agent to show',
      timeoutMs: 20_000,
    })
    child.kill('SIGINT')
    const [exitCode] = (await ended) as [number | null]
    expect(exitCode).toBe(0)
  })

  test('logs continues after the event given with --after', async () => {
    await world.skein([
      'spawn',
      '--name',
      'logged',
      '--wait',
      scriptOf({ do: 'say', text: 'one' }, { do: 'rest' }),
    ])
    const all = (await world.skein(['logs', 'logged', '--json'])).stdout.trim().split('\n')
    const rest = (await world.skein(['logs', 'logged', '--json', '--after', '2'])).stdout.trim().split('\n')
    expect(rest).toEqual(all.slice(2))
    const { stdout, exitCode } = await world.skein(['logs', '--follow', 'logged'])
    expect(stdout).toContain('one')
    expect(exitCode).toBe(0)
  })
})

describe('send, queue and tasks', () => {
  test('a message is queued, listed, removed and cleared', async () => {
    await spawnHanging('busy')
    const sent = await world.skein(['send', 'busy', 'Also', 'this.', '--id', 'note-1'])
    expect(sent.stdout).toBe('Queued for shop/busy as note-1.\n')
    await world.skein(['send', 'busy', '--in', '2h30m', '--id', 'later', 'Later.'])
    const list = await world.skein(['queue', 'ls', 'busy'])
    expect(list.stdout).toMatch(/^note-1 +queued +Also this\.$/m)
    expect(list.stdout).toMatch(/^later +deferred +20\S+Z +Later\.$/m)
    expect((await world.json(['queue', 'rm', 'busy', 'later']))['removed']).toBe(true)
    expect((await world.skein(['queue', 'rm', 'busy', 'later'])).exitCode).toBe(3)
    expect((await world.json(['queue', 'clear', 'busy']))['cleared']).toBe(1)
    expect((await world.skein(['queue', 'ls', 'busy'])).stdout).toBe('No undelivered messages.\n')
  })

  test('a time that cannot be meant ends with 2 before anything is sent', async () => {
    const { stderr, exitCode } = await world.skein(['send', 'busy', '--in', 'soon', 'x'])
    expect(stderr).toContain('soon is not a duration')
    expect(exitCode).toBe(2)
    expect((await world.skein(['send', 'busy', '--at', 'tomorrow', 'x'])).exitCode).toBe(2)
  })

  test('to an agent that has ended says so, and continues it when asked to', async () => {
    const done = scriptOf({ do: 'finish' })
    await world.skein(['spawn', '--name', 'finished', '--wait', done])
    const refused = await world.skein(['send', 'finished', 'More.'])
    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toContain('skein send --continue')
    expect((await world.skein(['send', '--continue', '--in', '1h', 'finished', 'x'])).exitCode).toBe(2)
    const continued = await world.skein(['send', '--continue', 'finished', done])
    expect(continued.stdout).toContain('Continued shop/finished.')
    const { results } = await world.json(['wait', 'finished'])
    expect(results).toMatchObject([{ status: { phase: 'PHASE_COMPLETED', runCount: '2' } }])
  })

  test('the checklist is shown and changed', async () => {
    const { tasks } = await world.json(['tasks', 'busy', '--add', 'First', '--add', 'Second'])
    const [first] = tasks as { id: string }[]
    const { stdout } = await world.skein(['tasks', 'busy', '--done', first?.id ?? ''])
    expect(stdout).toContain('☑ First')
    expect(stdout).toContain('☐ Second')
    expect((await world.skein(['tasks', 'busy', '--done', 'nothing'])).exitCode).toBe(3)
  })

  test('the budget is shown and changed', async () => {
    const { stdout } = await world.skein(['budget', 'busy', '2.50'])
    expect(stdout).toContain('shop/busy has a budget of $2.50')
    expect((await world.json(['budget', 'busy']))['maxCost']).toBe(2.5)
    expect((await world.skein(['budget', 'busy', 'much'])).exitCode).toBe(2)
  })
})

describe('wait, stop and kill', () => {
  test('stop finds the current run itself, and the agent stays alive', async () => {
    await spawnHanging('stopped')
    expect((await world.json(['stop', 'stopped']))['runId']).toBe('1')
    const { stdout, exitCode } = await world.skein(['wait', 'stopped'])
    expect(stdout).toContain('shop/stopped waiting')
    expect(exitCode).toBe(0)
    expect((await world.skein(['stop', 'stopped'])).exitCode).toBe(2)
  })

  test('wait --any ends with the first, --timeout with 12', async () => {
    await spawnHanging('slow')
    await world.skein(['spawn', '--name', 'quick', scriptOf({ do: 'finish' })])
    const { results } = await world.json(['wait', '--any', 'slow', 'quick'])
    expect((results as { agent: string }[]).map(({ agent }) => agent)).toEqual(['shop/quick'])
    expect((await world.skein(['wait', 'slow', '--timeout', '1s'])).exitCode).toBe(12)
  })

  test('kill says what will end, and needs --yes without a terminal', async () => {
    await spawnHanging('doomed')
    await world.skein(['spawn', '--child-of', 'doomed', '--name', 'child', scriptOf({ do: 'hang' })])
    const refused = await world.skein(['kill', 'doomed'])
    expect(refused.stderr).toContain('shop/doomed/child')
    expect(refused.stderr).toContain('--yes')
    expect(refused.exitCode).toBe(2)
    const { stdout } = await world.skein(['kill', 'doomed', '--yes'])
    expect(stdout).toBe('Killed shop/doomed, shop/doomed/child.\n')
    expect((await world.skein(['wait', 'doomed', 'shop/doomed/child'])).exitCode).toBe(11)
  })
})
