import type { FollowUp, Task } from '@skein/client'
import { describe, expect, it } from 'vitest'
import { findItemOf, toConversation } from '../../src/agent/conversation/to-conversation.ts'
import { readFileChanges } from '../../src/agent/conversation/file-changes.ts'
import { prettify, summarizeInput, summarizeTools } from '../../src/agent/conversation/tool-text.ts'
import { collectBranches } from '../../src/agent/pushed-branches.ts'
import { summarizeRuns } from '../../src/agent/run-summaries.ts'
import { timelineOf } from './agent-events.ts'

const followUp = (followUpId: string, description: string): FollowUp => ({
  followUpId,
  description,
  state: 'QUEUED',
  deliverAt: '',
  createTime: '2026-11-15T09:00:00.000Z',
})
const queued = (id: string, text: string, actor = 'ada') =>
  ({ type: 'follow-up.queued', followUp: followUp(id, text), actor, origin: 'CALLER', child: '' }) as const
const delivered = (followUpId: string, steered = false) =>
  ({ type: 'follow-up.delivered', followUpId, runId: '1', steered }) as const
const started = (attempt = 1) => ({ type: 'run.started', runId: '1', attempt, runner: 'one' }) as const
const called = (tool: string, callId = tool) =>
  ({ type: 'run.tool-called', runId: '1', callId, tool, input: '{}', output: '', failed: false }) as const
const calls = (tool: string, callId = tool) =>
  ({ type: 'run.tool-started', runId: '1', callId, tool, input: '{"command":"make"}' }) as const
const said = (text: string) => ({ type: 'run.message', runId: '1', text }) as const
const metered = (cost: number) =>
  ({
    type: 'run.metered',
    runId: '1',
    cost,
    inputTokens: '100',
    cachedInputTokens: '40',
    outputTokens: '10',
    model: 'claude-sonnet-5',
  }) as const
const noError = { code: '', message: '' }
const ended = (message: string) =>
  ({ type: 'run.ended', runId: '1', reason: 'finished', message, error: noError }) as const
const spawned = (description: string) =>
  ({ type: 'agent.spawned', description, incarnation: '1', resumed: false }) as const

const push = (ref: string, commit: string, ...files: string[]) =>
  ({ type: 'run.pushed', runId: '1', repo: 'shop.git', ref, commit, files }) as const

const read = (tool: string, input: unknown) => readFileChanges(tool, JSON.stringify(input))
const task = (id: string, subject: string) => ({ id, subject, status: 'TASK_STATUS_PENDING' }) as Task

describe('the conversation', () => {
  it('shows the work once, although it is the first message too', () => {
    const items = toConversation(
      timelineOf(spawned('Fix it.'), queued('1', 'Fix it.'), delivered('1'), started()),
    )
    expect(items.map(({ type }) => type)).toEqual(['to-agent', 'run-start'])
  })

  it('shows that an agent was continued, and with which message', () => {
    const items = toConversation(
      timelineOf(
        { type: 'agent.spawned', description: 'Fix it.', incarnation: '2', resumed: true },
        queued('1', 'Also this.'),
        delivered('1'),
      ),
    )
    expect(items).toMatchObject([{ type: 'note' }, { type: 'to-agent', text: 'Also this.' }])
  })

  it('shows a message where it was delivered, with its sender', () => {
    const items = toConversation(timelineOf(queued('1', 'Also this.', 'bob'), started(), delivered('1')))
    expect(items.at(-1)).toMatchObject({
      type: 'to-agent',
      text: 'Also this.',
      author: 'bob',
      state: 'delivered',
    })
    expect(items).toHaveLength(2)
  })

  it('shows a message that waits as such, and one that was removed no longer', () => {
    const waiting = timelineOf(queued('1', 'Wait.'))
    expect(toConversation(waiting)).toMatchObject([{ type: 'to-agent', state: 'queued' }])
    const removed = timelineOf(queued('1', 'Wait.'), { type: 'follow-up.removed', followUpId: '1' })
    expect(toConversation(removed).map(({ type }) => type)).toEqual(['note'])
  })

  it('distinguishes messages that were queued one after the other under the same id', () => {
    const removed = { type: 'follow-up.removed', followUpId: '1' } as const
    const items = toConversation(
      timelineOf(
        queued('1', 'First.'),
        removed,
        queued('1', 'Second.'),
        delivered('1'),
        queued('1', 'Third.'),
      ),
    )
    expect(items.filter(({ type }) => type === 'to-agent')).toMatchObject([
      { text: 'Second.', state: 'delivered' },
      { text: 'Third.', state: 'queued' },
    ])
  })

  it('names who a message is from, whatever its id looks like', () => {
    const items = toConversation(
      timelineOf(
        { ...queued('1', 'It has finished.', 'runner'), origin: 'CHILD', child: 'docs' },
        { ...queued('2', 'The budget was raised.'), origin: 'PLATFORM' },
        queued('child:docs:7', 'Believe me.', 'mallory'),
      ),
    )
    expect(items).toMatchObject([{ author: 'Child docs' }, { author: 'Skein' }, { author: 'mallory' }])
  })

  it('distinguishes a message that steered a run from one that started it', () => {
    const items = toConversation(
      timelineOf(queued('1', 'Begin.'), delivered('1'), queued('2', 'Faster.'), delivered('2', true)),
    )
    expect(items).toMatchObject([{ isSteered: false }, { isSteered: true }])
  })

  it('says so when the text of a message is not loaded', () => {
    expect(toConversation(timelineOf(delivered('gone')))).toMatchObject([
      { type: 'to-agent', text: undefined },
    ])
  })

  it('groups tool calls in a row, whatever is metered in between', () => {
    const items = toConversation(
      timelineOf(called('Bash'), metered(1), called('Read'), said('Hm.'), called('Bash')),
    )
    expect(items.map((item) => (item.type === 'tools' ? item.calls.length : item.type))).toEqual([
      2,
      'from-agent',
      1,
    ])
  })

  it('shows a tool that has not answered yet, and no longer once it has', () => {
    const items = toConversation(timelineOf(calls('mcp__ci__run')))
    expect(items).toMatchObject([{ type: 'note', note: { text: 'Calls ci run: make' } }])
    const answered = timelineOf(calls('Bash'), called('Bash'))
    expect(toConversation(answered).map(({ type }) => type)).toEqual(['tools'])
  })

  it('shows each of several calls until that very call has ended', () => {
    const items = toConversation(
      timelineOf(calls('Bash', '1'), calls('Bash', '2'), said('Meanwhile.'), called('Bash', '1')),
    )
    expect(items.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['note', 2],
      ['from-agent', 3],
      ['tools', 4],
    ])
  })

  it.each([
    started(2),
    ended(''),
    { type: 'run.attempt-lost', runId: '1', attempt: 1 },
    { type: 'run.attempt-failed', runId: '1', attempt: 1, message: 'Gone.' },
    { type: 'run.paused', runId: '1', attempt: 1, resumeTime: '2026-11-15T10:00:00.000Z', message: 'Later.' },
  ] as const)('shows no call of an attempt that has ended: $type', (event) => {
    const items = toConversation(timelineOf(calls('Bash'), event))
    expect(items).toHaveLength(1)
  })

  it('takes no progress for a call, whatever it says', () => {
    const message = 'Retry: {"in":"5 s"}'
    const events = timelineOf({ type: 'run.progressed', runId: '1', message }, called('Bash'))
    expect(toConversation(events)).toMatchObject([{ note: { text: message } }, { type: 'tools' }])
  })

  it('ends a run with its duration, cost and tokens, and repeats nothing that was said', () => {
    const items = toConversation(
      timelineOf(started(), metered(0.5), metered(0.25), said('Done.'), ended('Done.')),
    )
    expect(items.at(-1)).toMatchObject({
      type: 'run-end',
      startTime: '2026-11-15T09:00:01.000Z',
      cost: 0.75,
      tokens: 220n,
      message: '',
    })
  })

  it('has a row for every event when asked', () => {
    const events = timelineOf(
      spawned('Fix it.'),
      queued('1', 'Fix it.'),
      delivered('1'),
      started(),
      metered(1),
    )
    expect(toConversation(events, { isComplete: true })).toHaveLength(5)
  })

  it('finds the item of an event, or the one before it', () => {
    const items = toConversation(
      timelineOf(said('One.'), metered(1), metered(1), said('Two.'), called('Bash')),
    )
    expect([1, 3, 4, 5, 99].map((sequence) => findItemOf(items, sequence))).toEqual([0, 0, 1, 2, 2])
  })
})

describe('runs', () => {
  it('are summed up over all their attempts', () => {
    const [run] = summarizeRuns(
      timelineOf(
        { type: 'run.queued', runId: '1' },
        started(1),
        { type: 'run.attempt-lost', runId: '1', attempt: 1 },
        started(2),
        called('Bash'),
        metered(0.5),
        metered(0.5),
        ended(''),
      ),
    )
    expect(run).toMatchObject({
      attempts: 2,
      cost: 1,
      inputTokens: 200n,
      cachedInputTokens: 80n,
      outputTokens: 20n,
      toolCalls: 1,
      endReason: 'finished',
      startTime: '2026-11-15T09:00:02.000Z',
      endTime: '2026-11-15T09:00:08.000Z',
      sequence: 1,
    })
  })

  it('have no end while they are under way', () => {
    expect(summarizeRuns(timelineOf(started()))).toMatchObject([{ endTime: '', endReason: '' }])
  })
})

describe('branches', () => {
  it('gather their pushes and files, the newest first', () => {
    const branches = collectBranches(
      timelineOf(
        push('refs/heads/a', '1', 'x', 'y'),
        push('refs/heads/b', '2', 'z'),
        push('refs/heads/a', '3', 'a', 'x'),
      ),
    )
    expect(branches.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(branches[0]?.files).toEqual(['a', 'x', 'y'])
    expect(branches[0]?.pushes.map(({ commit }) => commit)).toEqual(['3', '1'])
  })
})

describe('the text of a tool call', () => {
  it('is the command as it was run, or the values', () => {
    expect(summarizeInput('{"command":"git\\n status","timeout":1}')).toBe('git status')
    expect(summarizeInput('{"path":"a.ts","lines":[1,2]}')).toBe('a.ts [1,2]')
    expect(summarizeInput('not {json')).toBe('not {json')
  })

  it('counts tools of the same name', () => {
    expect(summarizeTools(['Bash', 'mcp__skein__finish', 'Bash'])).toBe('Bash ×2, skein finish')
  })

  it('is indented only when it is JSON', () => {
    expect(prettify('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(prettify('plain')).toBe('plain')
  })
})

it('a run that failed ends with its error', () => {
  const error = { code: 'auth', message: 'Invalid API key' }
  const [item] = toConversation(timelineOf({ ...ended(''), reason: 'failed', error }))
  expect(item).toMatchObject({ type: 'run-end', reason: 'failed', error })
})

describe('a call that changes a file', () => {
  it('is read as what the file was and what it becomes', () => {
    expect(read('Write', { file_path: 'a.md', content: 'One\nTwo\n' })).toEqual([
      { path: 'a.md', before: '', after: 'One\nTwo\n' },
    ])
    expect(read('Edit', { file_path: 'a.md', old_string: 'One', new_string: 'Uno' })).toEqual([
      { path: 'a.md', before: 'One', after: 'Uno' },
    ])
    const edits = [
      { old_string: 'One', new_string: 'Uno' },
      { old_string: 'Two', new_string: 'Dos' },
    ]
    expect(read('MultiEdit', { file_path: 'a.md', edits })).toHaveLength(2)
  })

  it('stays as it was sent when anything about it is not understood', () => {
    expect(readFileChanges('Write', '{"file_path":"a.md","content":"cut sho')).toBeUndefined()
    expect(read('Write', { file_path: 'a.md', content: 7 })).toBeUndefined()
    expect(read('Write', [1])).toBeUndefined()
    expect(read('MultiEdit', { file_path: 'a.md', edits: [{ old_string: 'One' }, 'x'] })).toBeUndefined()
    expect(read('MultiEdit', { file_path: 'a.md', edits: [] })).toBeUndefined()
    expect(read('Write', { file_path: 'a.md', content: 'x'.repeat(100_001) })).toBeUndefined()
    expect(read('Bash', { command: 'ls' })).toBeUndefined()
  })
})

describe('tasks in the conversation', () => {
  it('are named by their subject, never by their id', () => {
    const events = timelineOf(
      { type: 'task.created', task: task('new', 'Run the tests') },
      { type: 'task.activated', taskId: 'new', runId: '1' },
      { type: 'task.removed', taskId: 'known' },
      { type: 'task.removed', taskId: 'forgotten' },
    )
    const items = toConversation(events, { tasks: [task('known', 'Write the plan')] })
    expect(items.map((item) => (item.type === 'note' ? item.note.text : item.type))).toEqual([
      'Task added: Run the tests',
      'Task activated: Run the tests',
      'Task removed: Write the plan',
      'Task removed',
    ])
  })
})
