import type { BackendDocument, PersonaDocument } from '@skein/contract'
import { describe, expect, test } from 'vitest'
import {
  applyOverride,
  personaTasks,
  resolveOverride,
  resolveSettings,
  type AgentSettings,
  type Backend,
  type PersonaVersion,
  type SettingsRequest,
} from '../../src/index.ts'
import { refusalOf, SETTINGS, taskOf } from './builders.ts'

const documentA: BackendDocument = {
  description: '',
  models: ['a-*'],
  defaultModel: 'a-default',
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  tiers: [],
  helperModels: [],
  credential: '',
  prices: [],
  toolPrices: [],
}
const documentB: BackendDocument = {
  description: '',
  models: ['b-*', '*-open'],
  defaultModel: 'b-default',
  efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
  tiers: ['standard', 'fast', 'flex'],
  helperModels: [],
  credential: '',
  prices: [],
  toolPrices: [],
}
const BACKENDS: readonly Backend[] = [
  { name: 'a', document: documentA },
  { name: 'b', document: documentB },
]

const NOTHING: SettingsRequest = {
  model: '',
  reasoningEffort: '',
  serviceTier: '',
  fastMode: undefined,
  outputSchema: '',
  outputSchemaProblem: undefined,
}

function personaOf(facts: Partial<PersonaDocument> = {}): PersonaVersion {
  const document = { description: '', prompt: '', model: '', reasoningEffort: '', serviceTier: '' }
  return {
    name: 'reviewer',
    generation: '4',
    document: { ...document, fastMode: false, outputSchema: '', tasks: [], ...facts },
  }
}

const spawnWith = (request: Partial<SettingsRequest>, persona = personaOf(), workspaceModel = '') =>
  resolveSettings({ ...NOTHING, ...request }, persona, workspaceModel, BACKENDS)

const onA: AgentSettings = { ...SETTINGS, backend: 'a', model: 'a-small' }
const onB: AgentSettings = { ...SETTINGS, backend: 'b', model: 'b-small' }
const override = (
  request: Partial<SettingsRequest>,
  current: AgentSettings,
  persona?: PersonaVersion,
  workspaceModel = '',
) => resolveOverride({ ...NOTHING, ...request }, persona, { current, workspaceModel }, BACKENDS)

describe('the model of a new agent', () => {
  const persona = personaOf({ model: 'a-persona' })

  test('is the one asked for, before all others', () => {
    expect(spawnWith({ model: 'b-asked' }, persona, 'a-workspace')).toMatchObject({
      backend: 'b',
      model: 'b-asked',
    })
  })

  test('is the persona’s before the workspace’s', () => {
    expect(spawnWith({}, persona, 'b-workspace')).toMatchObject({ backend: 'a', model: 'a-persona' })
  })

  test('is the workspace’s before the backend’s default', () => {
    expect(spawnWith({}, personaOf(), 'b-workspace')).toMatchObject({ backend: 'b', model: 'b-workspace' })
  })

  test('is the default of backend A when nobody names one', () => {
    expect(spawnWith({})).toMatchObject({ backend: 'a', model: 'a-default' })
  })

  test('must belong to a backend', () => {
    expect(refusalOf(() => spawnWith({ model: 'c-unknown' }))).toBe('MODEL_SETTINGS_INVALID')
  })
})

describe('the settings of a new agent', () => {
  test('name the persona and its version', () => {
    expect(spawnWith({})).toMatchObject({ persona: 'reviewer', personaGeneration: '4' })
  })

  test('are the persona’s where nothing is asked for', () => {
    const persona = personaOf({ reasoningEffort: 'high', fastMode: true, outputSchema: '{}' })
    expect(spawnWith({}, persona)).toMatchObject({
      reasoningEffort: 'high',
      fastMode: true,
      outputSchema: '{}',
    })
    expect(spawnWith({ reasoningEffort: 'low', fastMode: false }, persona)).toMatchObject({
      reasoningEffort: 'low',
      fastMode: false,
    })
  })

  test('leave out what a persona asks of the other backend', () => {
    const persona = personaOf({ model: 'b-small', reasoningEffort: 'none', serviceTier: 'flex' })
    expect(spawnWith({ model: 'a-small' }, persona)).toMatchObject({ reasoningEffort: '', serviceTier: '' })
    expect(spawnWith({}, persona)).toMatchObject({ reasoningEffort: 'none', serviceTier: 'flex' })
  })
})

describe('settings are refused, at spawn and in a follow-up alike,', () => {
  const cases: [string, Partial<SettingsRequest>, AgentSettings][] = [
    ['for the effort none on A', { reasoningEffort: 'none' }, onA],
    ['for the effort max on B', { reasoningEffort: 'max' }, onB],
    ['for an effort that nobody has', { reasoningEffort: 'huge' }, onA],
    ['for a tier on A', { serviceTier: 'standard' }, onA],
    ['for a tier that nobody has', { serviceTier: 'first-class' }, onB],
    ['for an output schema with a problem', { outputSchema: '{', outputSchemaProblem: 'no JSON' }, onA],
  ]
  test.each(cases)('%s', (_what, request, current) => {
    expect(refusalOf(() => spawnWith({ ...request, model: current.model }))).toBe('MODEL_SETTINGS_INVALID')
    expect(refusalOf(() => override(request, current))).toBe('MODEL_SETTINGS_INVALID')
  })

  test.each([
    ...documentA.efforts.map((reasoningEffort) => ({ current: onA, request: { reasoningEffort } })),
    ...documentB.efforts.map((reasoningEffort) => ({ current: onB, request: { reasoningEffort } })),
    ...documentB.tiers.map((serviceTier) => ({ current: onB, request: { serviceTier } })),
    { current: onA, request: { fastMode: true } },
    { current: onB, request: { fastMode: true } },
    { current: onA, request: { outputSchema: '{"type":"object"}' } },
  ])('but not for $request on $current.backend', ({ current, request }) => {
    expect(spawnWith({ ...request, model: current.model })).toMatchObject(request)
    expect(override(request, current)).toEqual({ ...request, chosen: Object.keys(request) })
  })
})

describe('a follow-up', () => {
  test('that asks for nothing changes nothing', () => {
    expect(override({}, onA)).toEqual({})
  })

  test('sets fast mode when it is present, true or false', () => {
    expect(override({ fastMode: false }, onA)).toEqual({ fastMode: false, chosen: ['fastMode'] })
  })

  test('cannot take the agent to another backend', () => {
    expect(refusalOf(() => override({ model: 'b-small' }, onA))).toBe('MODEL_SETTINGS_INVALID')
    expect(refusalOf(() => override({ model: 'c-unknown' }, onA))).toBe('MODEL_SETTINGS_INVALID')
    expect(override({ model: 'a-big' }, onA)).toEqual({ model: 'a-big', chosen: ['model'] })
  })

  test('is refused when the agent’s backend is gone', () => {
    const gone = { ...onA, backend: 'c' }
    expect(refusalOf(() => override({}, gone))).toBe('MODEL_SETTINGS_INVALID')
  })

  const switched = { persona: 'reviewer', personaGeneration: '4', fastMode: false, outputSchema: '' }
  const unset = { reasoningEffort: '', serviceTier: '' }

  test('that switches the persona brings the persona’s settings, under those that it asks for itself', () => {
    const persona = personaOf({ model: 'a-persona', reasoningEffort: 'max', outputSchema: '{}' })
    const brought = { ...switched, serviceTier: '', outputSchema: '{}' }
    expect(override({}, onA, persona)).toEqual({ ...brought, model: 'a-persona', reasoningEffort: 'max' })
    expect(override({ model: 'a-big', reasoningEffort: 'low' }, onA, persona)).toEqual({
      ...brought,
      model: 'a-big',
      reasoningEffort: 'low',
      chosen: ['model', 'reasoningEffort'],
    })
  })

  test('that switches to a persona without a model goes back to the default of workspace or backend', () => {
    expect(override({}, onA, personaOf(), 'a-workspace').model).toBe('a-workspace')
    expect(override({}, onA, personaOf(), 'b-workspace').model).toBe('a-default')
    expect(override({}, onA, personaOf()).model).toBe('a-default')
  })

  test('that switches to a persona of the other backend leaves out what does not fit', () => {
    const persona = personaOf({ model: 'b-small', reasoningEffort: 'none', serviceTier: 'flex' })
    expect(override({}, onA, persona)).toEqual({ ...switched, ...unset, model: 'a-default' })
  })

  test('that switches the persona finds the backend of its model exactly as a spawn does', () => {
    const persona = personaOf({ model: 'a-open' })
    expect(spawnWith({}, persona).backend).toBe('a')
    expect(override({}, onB, persona).model).toBe('b-default')
  })
})

describe('what a caller chose', () => {
  const CHOICES: readonly Partial<SettingsRequest>[] = [
    { model: 'b-asked' },
    { reasoningEffort: 'low' },
    { serviceTier: 'flex' },
    { fastMode: true },
    { outputSchema: '{}' },
  ]
  const persona = personaOf({
    model: 'b-persona',
    reasoningEffort: 'xhigh',
    serviceTier: 'fast',
    outputSchema: '{"type":"object"}',
  })

  test.each(CHOICES)('at spawn (%j) survives a switch of the persona', (choice) => {
    const spawned = spawnWith(choice, personaOf(), 'b-workspace')
    expect(applyOverride(spawned, override({}, spawned, persona))).toMatchObject({
      persona: 'reviewer',
      ...choice,
    })
  })

  test.each(CHOICES)(
    'with a message (%j) survives a later switch, and a later choice replaces it',
    (choice) => {
      const chosen = applyOverride(onB, override(choice, onB))
      expect(applyOverride(chosen, override({}, chosen, persona))).toMatchObject(choice)
      const [name = ''] = Object.keys(choice)
      const other = {
        model: 'b-other',
        reasoningEffort: 'none',
        serviceTier: 'fast',
        fastMode: false,
        outputSchema: '{"type":"array"}',
      }
      const replaced = Object.fromEntries(Object.entries(other).filter(([key]) => key === name))
      expect(applyOverride(chosen, override(replaced, chosen))).toMatchObject(replaced)
    },
  )

  test('by a message that was delivered between a switch’s arrival and its delivery is kept too', () => {
    const resolvedEarlier = override({}, onB, persona)
    const chosenMeanwhile = applyOverride(onB, override({ model: 'b-asked' }, onB))
    expect(applyOverride(chosenMeanwhile, resolvedEarlier).model).toBe('b-asked')
  })

  test('is nothing when every setting came from a persona or a default', () => {
    const spawned = spawnWith({}, personaOf(), 'b-workspace')
    expect(spawned.chosen).toEqual([])
    expect(applyOverride(spawned, override({}, spawned, persona))).toMatchObject({
      model: 'b-persona',
      reasoningEffort: 'xhigh',
      serviceTier: 'fast',
    })
  })
})

test('the tasks of a persona are tagged with its name', () => {
  const filesModified = { pattern: '**/*.ts' }
  const persona = personaOf({
    tasks: [
      { subject: 'Do t-1', description: '' },
      { subject: 'Do t-2', description: 'Well', activation: { filesModified } },
    ],
  })
  let minted = 0
  const tasks = personaTasks(persona, () => {
    minted += 1
    return `t-${minted}`
  })
  expect(tasks).toEqual([
    taskOf('t-1', { persona: 'reviewer' }),
    taskOf('t-2', { persona: 'reviewer', description: 'Well', activation: { filesModified } }),
  ])
})
