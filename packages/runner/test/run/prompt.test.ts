import { expect, test } from 'vitest'
import { buildInstructions } from '../../src/run/instructions.ts'
import { buildPrompt } from '../../src/run/prompt.ts'
import { cleanTexts, cut } from '../../src/clean-text.ts'
import { toReportedEvents } from '../../src/run/to-events.ts'

const first = {
  description: 'Fix it.',
  expectedOutput: 'A commit.',
  messages: [{ followUpId: '1', description: 'Fix it.' }],
  runId: '1',
  attempt: 1,
  runsBefore: '0',
  resumed: false,
  unanswered: [],
}
const later = { ...first, runId: '3', messages: [{ followUpId: '2', description: 'Also this.' }] }

test('the first turn gets the task and what is expected', () => {
  expect(buildPrompt(first, 'nothing')).toBe('Fix it.\n\nExpected output: A commit.')
})

test('a later turn gets its messages alone', () => {
  expect(buildPrompt(later, 'earlier-turns')).toBe('Also this.')
})

test('a turn that was cut off is not told its messages twice', () => {
  expect(buildPrompt({ ...later, attempt: 2 }, 'this-turn')).not.toContain('Also this.')
})

test('an agent whose conversation is lost gets the task, the new messages, and a note that it is not new to it', () => {
  const prompt = buildPrompt(later, 'nothing')
  expect(prompt).toContain('Fix it.')
  expect(prompt).toContain('Also this.')
  expect(prompt).toContain('conversation is lost')
})

test('a new incarnation under a used name gets its task, and is told about files it may find', () => {
  const prompt = buildPrompt({ ...first, runId: '4', runsBefore: '3' }, 'nothing')
  expect(prompt).toContain('Fix it.')
  expect(prompt).toContain('An agent of this name worked here before.')
  expect(prompt).not.toContain('conversation is lost')
})

const continued = {
  ...later,
  runId: '4',
  runsBefore: '3',
  resumed: true,
  unanswered: ['Before that.'],
}

test('a continued agent gets its message, and what it has not heard yet', () => {
  expect(buildPrompt(continued, 'earlier-turns')).toBe('Also this.')
  expect(buildPrompt(continued, 'not-the-last-turn')).toBe('Before that.\n\nAlso this.')
})

test('a continued agent whose conversation is lost gets everything that is known', () => {
  const prompt = buildPrompt({ ...continued, unanswered: ['Fix it.', 'Before that.'] }, 'nothing')
  expect(prompt.match(/Fix it\./g)).toHaveLength(1)
  expect(prompt).toMatch(/conversation is lost[^]*Before that\.[^]*Also this\./)
})

test('instructions name the branch, and say when nothing can be pushed', () => {
  const who = { prompt: 'Be careful.', agentId: { agent: ['a', 'b'] } as never, repos: [] }
  const where = { branch: 'skein/a.b', repoNames: ['shop'], guide: 'Use tabs.', canUseGit: true }
  expect(buildInstructions(who, where)).toMatch(
    /^Be careful\.[^]*the agent a\/b[^]*`skein\/a\.b`[^]*Use tabs\.$/,
  )
  expect(buildInstructions(who, { ...where, canUseGit: false })).toContain('cannot be pushed')
  expect(buildInstructions(who, { ...where, branch: '', guide: '' })).not.toContain('branch is')
})

test('instructions mention pull requests only where they can be opened', () => {
  const repo = { url: 'https://github.com/acme/shop.git', baseBranch: '', credential: '' }
  const who = { prompt: '', agentId: { agent: ['a'] } as never, repos: [{ ...repo, access: 'sealed' }] }
  const where = { branch: 'skein/a', repoNames: ['shop'], guide: '', canUseGit: true }
  expect(buildInstructions(who, where)).toContain('open_pull_request')
  expect(buildInstructions(who, { ...where, canUseGit: false })).not.toContain('open_pull_request')
  expect(buildInstructions({ ...who, repos: [repo] }, where)).not.toContain('open_pull_request')
})

test('a text is never cut within a character', () => {
  for (let length = 2; length < 8; length++) expect(cut('a😀b😀c😀', length).isWellFormed()).toBe(true)
  expect(cut('short', 5)).toBe('short')
})

test('what the service cannot store is replaced in every text of a report', () => {
  const dirty = { output: 'a\0b', files: ['x\ud800y'], count: 1 }
  expect(cleanTexts(dirty)).toEqual({ output: 'a␀b', files: ['x\ufffdy'], count: 1 })
})

test('thoughts and empty texts stay off the timeline; a failed tool says so', () => {
  expect(toReportedEvents({ type: 'thinking', text: 'Hm.' })).toEqual([])
  expect(toReportedEvents({ type: 'text', text: ' \n' })).toEqual([])
  const failed = {
    type: 'tool-ended',
    id: '1',
    tool: 'Bash',
    input: 'false',
    output: 'no',
    isError: true,
  } as const
  expect(toReportedEvents(failed)).toEqual([
    { type: 'run.tool-called', callId: '1', tool: 'Bash', input: 'false', output: 'no', failed: true },
  ])
})

test('a tool is reported when it starts, with the beginning of its input, and again when it ends', () => {
  const call = { id: '7', tool: 'Write', input: `{"content":"${'x'.repeat(2000)}"}` }
  const [started] = toReportedEvents({ type: 'tool-started', ...call })
  expect(started).toMatchObject({ type: 'run.tool-started', callId: '7', tool: 'Write' })
  expect(started).toHaveProperty('input', cut(call.input, 1000))
  const [ended] = toReportedEvents({ type: 'tool-ended', ...call, output: 'Error: none', isError: false })
  expect(ended).toMatchObject({ callId: '7', input: call.input, output: 'Error: none', failed: false })
})

test('names that are too long are cut to what the service accepts, at the start and at the end', () => {
  const call = { id: 'i'.repeat(300), tool: 't'.repeat(300), input: '' }
  const [started, ended] = [
    ...toReportedEvents({ type: 'tool-started', ...call }),
    ...toReportedEvents({ type: 'tool-ended', ...call, output: '', isError: false }),
  ]
  expect(started).toMatchObject({ callId: cut(call.id, 255), tool: cut(call.tool, 255) })
  expect(ended).toMatchObject({ callId: cut(call.id, 255), tool: cut(call.tool, 255) })
})
