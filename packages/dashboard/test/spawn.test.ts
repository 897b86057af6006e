import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AgentStatus, Task } from '@skein/client'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkOutputSchema, checkSpawnForm } from '../src/pages/spawn/check-spawn-form.ts'
import { numberName, toCopyForm } from '../src/pages/spawn/copy-form.ts'
import { chooseModel, listModels, type Backend } from '../src/pages/spawn/model-choices.ts'
import { quoteWord } from '../src/pages/spawn/shell-quote.ts'
import { formatSpawnCall } from '../src/pages/spawn/spawn-call.ts'
import { formatSpawnCommand } from '../src/pages/spawn/spawn-command.ts'
import { EMPTY_FORM, readDollars, toSpawnFields, type SpawnForm } from '../src/pages/spawn/spawn-form.ts'
import { parentOf, readChoice, readSpawnSearch } from '../src/agent/spawn-search.ts'
import { AGENT } from './agent/agent-events.ts'

const FULL: SpawnForm = {
  workspace: 'shop',
  name: 'fix',
  description: "Fix the user's checkout",
  expectedOutput: 'A pull request',
  persona: 'reviewer',
  model: 'claude-sonnet-5',
  reasoningEffort: 'high',
  serviceTier: 'flex',
  fastMode: 'off',
  outputSchema: '{"type":"object"}',
  tasks: [
    { key: '1', subject: 'Reproduce it' },
    { key: '2', subject: ' ' },
  ],
  maxCost: '$2.50',
  labels: [{ key: '1', name: 'team', value: 'pay ments' }],
  autoComplete: true,
}

/** What a real shell makes of the words. */
function readWithShell(command: string): string[] {
  const script = `skein() { printf '%s\\0' "$@"; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

describe('the command that is shown', () => {
  it('is the form, word by word, after a real shell has read it', () => {
    const words = readWithShell(formatSpawnCommand(toSpawnFields(FULL)))
    expect(words.join('|')).toBe(
      'spawn|--workspace|shop|--name|fix|--expect|A pull request|--persona|reviewer|--model|claude-sonnet-5|' +
        '--effort|high|--tier|flex|--no-fast|--schema|{"type":"object"}|--task|Reproduce it|--max-cost|2.5|' +
        "--label|team=pay ments|--auto-complete|Fix the user's checkout",
    )
  })

  it('has only options that the command line knows', () => {
    const source = ['commands/agents/spawn.ts', 'command-line/settings-options.ts']
      .map((file) => readFileSync(new URL(`../../cli/src/${file}`, import.meta.url), 'utf8'))
      .join('\n')
    const command = `${formatSpawnCommand(toSpawnFields({ ...FULL, fastMode: 'on' }))} ${formatSpawnCommand(
      toSpawnFields(FULL),
      'shop/release',
    )}`
    const flags = new Set(command.match(/(?<=\s)--[a-z-]+/g))
    expect(flags.size).toBe(15)
    for (const flag of flags) expect(source).toMatch(new RegExp(`'${flag}[ ']`))
  })

  it('keeps work that looks like an option from being one', () => {
    expect(readWithShell(formatSpawnCommand({ description: '--name x' }))).toEqual([
      'spawn',
      '--',
      '--name x',
    ])
  })

  it('quotes any text so that a shell returns it unchanged', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
        (text) => {
          expect(readWithShell(`skein ${quoteWord(text)}`)).toEqual([text])
        },
      ),
      { numRuns: 50 },
    )
  })
})

describe('the HTTP call that is shown', () => {
  it('carries the whole request, and the key from the environment', () => {
    const call = formatSpawnCall('https://skein.example.com', toSpawnFields(FULL))
    expect(call).toContain('https://skein.example.com/v1/agent/spawn')
    expect(call).toContain('"Authorization: Bearer $SKEIN_API_KEY"')
    const words = readWithShell(call.replace('curl', 'skein'))
    expect(JSON.parse(words.at(-1) ?? '')).toMatchObject({
      agentId: { workspace: 'shop', agent: ['fix'] },
      description: "Fix the user's checkout",
      maxCost: 2.5,
      labels: { team: 'pay ments' },
      tasks: [{ subject: 'Reproduce it' }],
    })
  })

  it('names a child by its whole path', () => {
    const parent = { workspace: 'shop', agent: ['release'], account: 'ada' }
    const call = formatSpawnCall('http://x', { description: 'Go', name: 'docs' }, parent)
    const words = readWithShell(call.replace('curl', 'skein'))
    expect(JSON.parse(words.at(-1) ?? '')).toEqual({
      agentId: { workspace: 'shop', agent: ['release', 'docs'], account: 'ada' },
      description: 'Go',
    })
  })
})

describe('the form', () => {
  it('leaves out what is empty, so that the service decides', () => {
    expect(toSpawnFields({ ...EMPTY_FORM, description: ' Go ' })).toEqual({ description: 'Go' })
  })

  it('says what is wrong before anything is sent', () => {
    expect(checkSpawnForm(FULL)).toEqual({})
    const problems = checkSpawnForm({
      ...EMPTY_FORM,
      name: 'No Spaces',
      maxCost: 'much',
      outputSchema: '{',
      labels: [{ key: '1', name: 'Team', value: 'x' }],
    })
    expect(Object.keys(problems).toSorted()).toEqual([
      'agentId.agent',
      'description',
      'labels',
      'maxCost',
      'outputSchema',
    ])
  })

  it('takes an output schema only as a JSON object', () => {
    expect(checkOutputSchema('')).toBeUndefined()
    expect(checkOutputSchema('{"type": "object"}')).toBeUndefined()
    expect(checkOutputSchema('[]')).toContain('object')
    expect(checkOutputSchema('{"type"')).toContain('Not valid JSON')
  })

  it('reads dollars with and without the sign', () => {
    expect(['2.50', '$3', '0'].map((text) => readDollars(text))).toEqual([2.5, 3, 0])
    expect(['', '$', '-1', 'Infinity', 'x'].map((text) => readDollars(text))).toEqual(
      Array.from({ length: 5 }, () => undefined),
    )
  })
})

describe('the choice of a model', () => {
  const a: Backend = {
    name: 'a',
    models: ['claude-*', 'opus'],
    defaultModel: 'claude-x',
    efforts: [],
    tiers: [],
  }
  const b: Backend = { name: 'b', models: ['gpt-*'], defaultModel: 'gpt-x', efforts: [], tiers: ['flex'] }

  it('is the first that is named, on the backend that has it', () => {
    expect(chooseModel(['', 'gpt-5'], [a, b])).toEqual({ model: 'gpt-5', backend: b })
    expect(chooseModel(['', ''], [a, b])).toEqual({ model: 'claude-x', backend: a })
    expect(chooseModel(['llama'], [a, b])).toEqual({ model: 'llama', backend: undefined })
  })

  it('offers names, not patterns', () => {
    expect(listModels([a, b])).toEqual(['claude-x', 'opus', 'gpt-x'])
  })
})

describe('the parent in the address', () => {
  it('is read with its owner, and a broken one is reported', () => {
    const search = readSpawnSearch({ parent: 'shop/release', account: 'ada', provider: 'idp_oidc', other: 1 })
    expect(readChoice(search)).toEqual({
      type: 'child',
      name: 'shop/release',
      address: { workspace: 'shop', agent: ['release'], account: 'ada', ownerProvider: 'PROVIDER_IDP_OIDC' },
    })
    expect(readChoice({})).toEqual({ type: 'new' })
    expect(readChoice({ parent: 'shop' }).type).toBe('unreadable')
  })
})

describe('a copy', () => {
  const status = {
    ...FULL,
    agentId: { ...AGENT, agent: ['release', 'docs'] },
    fastMode: true,
    outputSchema: '',
    maxCost: 0,
    labels: { team: 'docs' },
    tasks: [
      makeTask('done', { status: 'TASK_STATUS_COMPLETED' }),
      makeTask('open', { blockedBy: ['done', 'next'], description: 'All of it.' }),
      makeTask('next', { status: 'TASK_STATUS_IN_PROGRESS' }),
      makeTask('deleted', { status: 'TASK_STATUS_DELETED' }),
      makeTask('of-persona', { persona: 'reviewer' }),
      makeTask('of-run', { ephemeral: true }),
    ],
  } as unknown as AgentStatus

  it('has the work, the settings and the open tasks, which wait only for tasks that come along', () => {
    const fields = toSpawnFields(toCopyForm(status, 'docs-2'))
    expect(fields).toMatchObject({
      name: 'docs-2',
      workspace: 'shop',
      description: FULL.description,
      agent: 'reviewer',
      model: FULL.model,
      fastMode: true,
      labels: { team: 'docs' },
    })
    expect(fields).not.toHaveProperty('maxCost')
    expect(fields.tasks).toMatchObject([
      { id: 'open', subject: 'Do open', description: 'All of it.', blockedBy: ['next'] },
      { id: 'next', subject: 'Do next', blockedBy: [] },
    ])
  })

  it('gets the next number, within the length of a name', () => {
    expect(numberName('fix', 1)).toBe('fix-2')
    expect(numberName('fix-2', 1)).toBe('fix-3')
    expect(numberName('fix-2024-01', 2)).toBe('fix-2024-3')
    const long = numberName('a'.repeat(63), 1)
    expect(long).toHaveLength(63)
    expect(long.endsWith('a-2')).toBe(true)
  })

  it('of a child is a child of the same parent', () => {
    const choice = readChoice(readSpawnSearch({ copy: 'shop/release/docs' }))
    if (choice.type !== 'copy') throw new Error(choice.type)
    expect(parentOf(choice.address)).toMatchObject({ parentName: 'shop/release' })
    expect(parentOf({ workspace: 'shop', agent: ['release'] }).parent).toBeUndefined()
  })
})

function makeTask(id: string, fields: Partial<Task> = {}): Partial<Task> {
  return {
    id,
    subject: `Do ${id}`,
    description: '',
    status: 'TASK_STATUS_PENDING',
    blockedBy: [],
    activation: {},
    persona: '',
    ephemeral: false,
    ...fields,
  }
}
