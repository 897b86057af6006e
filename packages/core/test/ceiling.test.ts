import { MAX_QUOTA, NETWORKS, SANDBOXES, type Kind } from '@skein/contract'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  BUILT_IN_CEILING,
  ceilingOf,
  decideDelete,
  draftWrite,
  effectiveMachine,
  effectiveNetwork,
  effectiveQuota,
  effectiveSandbox,
  effectiveToolPrices,
  NO_CEILING,
  parseDocument,
  requireKind,
  withDefaults,
  type Ceiling,
} from '../src/index.ts'
import { callerAs } from './caller.ts'

const QUOTAS = [
  'liveAgents',
  'childrenPerAgent',
  'queuedFollowUpsPerAgent',
  'queuedBytesPerAgent',
  'tasksPerAgent',
  'taskBytesPerAgent',
] as const
const SIZES = ['cpus', 'memoryMib', 'diskMib', 'processes'] as const

const amount = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1000 }), fc.constant(MAX_QUOTA))
const quotas = fc.record(Object.fromEntries(QUOTAS.map((name) => [name, amount])), { requiredKeys: [] })
const sizes = fc.record(Object.fromEntries(SIZES.map((name) => [name, fc.nat(1024)])), { requiredKeys: [] })
const toolPrices = fc.array(
  fc.record({ tool: fc.constantFrom('web-search', 'web-fetch'), perUse: fc.nat(10) }),
  { maxLength: 4 },
)
const ceilings = fc
  .record(
    {
      quota: quotas,
      machine: sizes,
      networks: fc.uniqueArray(fc.constantFrom(...NETWORKS)),
      sandboxes: fc.uniqueArray(fc.constantFrom(...SANDBOXES)),
      toolPrices,
    },
    { requiredKeys: [] },
  )
  .map((own) => ceilingOf(BUILT_IN_CEILING, parseDocument('ceiling', 'default', own)))

const RUNS = { numRuns: 2000 }

describe('whatever a tenant writes, it never gets more than its ceiling', () => {
  test('of its quota, and below it what it asked for', () => {
    const { counterexample } = fc.check(
      fc.property(ceilings, fc.option(quotas, { nil: undefined }), (ceiling, document) => {
        const quota = effectiveQuota(document && parseDocument('quota', 'default', document), ceiling)
        return QUOTAS.every((name) => {
          const wanted = document?.[name]
          const isWanted = wanted === undefined || quota[name] === Math.min(wanted, ceiling.quota[name])
          return isWanted && quota[name] <= ceiling.quota[name]
        })
      }),
      RUNS,
    )
    expect(counterexample).toBeNull()
  })

  test('of the machine, where 0 stands for no limit', () => {
    const { counterexample } = fc.check(
      fc.property(ceilings, sizes, (ceiling, profile) => {
        const wanted = parseDocument('vm-profile', 'small', profile)
        const machine = effectiveMachine(wanted, ceiling)
        return SIZES.every((name) => {
          const most = ceiling.machine[name]
          if (most === 0) return machine[name] === wanted[name]
          return machine[name] > 0 && machine[name] <= most
        })
      }),
      RUNS,
    )
    expect(counterexample).toBeNull()
  })

  test('of networks: it gets what it may have, or something stricter', () => {
    const { counterexample } = fc.check(
      fc.property(ceilings, fc.constantFrom(...NETWORKS), (ceiling, network) => {
        const given = effectiveNetwork({ network }, ceiling)
        if (ceiling.networks.includes(network)) return given === network
        const isPermitted = given === 'none' || ceiling.networks.includes(given)
        return isPermitted && NETWORKS.indexOf(given) <= NETWORKS.indexOf(network)
      }),
      RUNS,
    )
    expect(counterexample).toBeNull()
  })

  test('of sandboxes', () => {
    const { counterexample } = fc.check(
      fc.property(ceilings, fc.constantFrom(...SANDBOXES), (ceiling, sandbox) => {
        const isPermitted = ceiling.sandboxes.includes(sandbox)
        return effectiveSandbox({ sandbox }, ceiling) === (isPermitted ? sandbox : 'bubblewrap')
      }),
      RUNS,
    )
    expect(counterexample).toBeNull()
  })

  test('of tools that cost too little', () => {
    const { counterexample } = fc.check(
      fc.property(ceilings, toolPrices, (ceiling, own) => {
        const prices = effectiveToolPrices(own, ceiling)
        return ceiling.toolPrices.every(({ tool, perUse }) => {
          const found = prices.filter((price) => price.tool === tool)
          return found.length === 1 && found.every((price) => price.perUse >= perUse)
        })
      }),
      RUNS,
    )
    expect(counterexample).toBeNull()
  })
})

const admin = callerAs('admin')
const refusal = (reason: string): unknown => expect.objectContaining({ reason })
const operator = callerAs('operator')

function violationsOf(kind: string, document: object, ceiling: Ceiling, current?: object): string[] {
  return draft(requireKind(kind), 'default', document, ceiling, current).violations.map(
    ({ field, description }) => `${field}: ${description}`,
  )
}

function draft(
  kind: Kind,
  name: string,
  document: object,
  ceiling: Ceiling,
  current?: object,
  caller = admin,
) {
  const payload = { ...document }
  const stored = current && { generation: 1n, document: withDefaults(kind, { ...current }) }
  return draftWrite(
    { kind, name, payload, updateMask: '', ifGenerationMatch: undefined },
    stored,
    caller,
    ceiling,
  )
}

describe('a write above the ceiling', () => {
  test.each([
    ['quota', { liveAgents: 1_000_000 }, 'liveAgents', 'at most 100000'],
    ['environment', { network: 'open' }, 'network', 'one of none, gateway'],
    ['pool', { sandbox: 'process' }, 'sandbox', 'bubblewrap'],
    ['vm-profile', { memoryMib: 1_000_000 }, 'memoryMib', 'at most 16384'],
    ['vm-profile', { cpus: 0 }, 'cpus', 'at most 8'],
    ['vm-profile', { idleTimeLimit: '999999s' }, 'idleTimeLimit', 'at most 86400s'],
    [
      'backend',
      { models: ['claude-*'], defaultModel: 'claude-x', prices: [{ model: 'claude-opus-*' }] },
      'prices[0].input',
      'at least 5',
    ],
  ])('of %s %j says what is permitted, and by whom', (kind, document, field, permitted) => {
    const [first = ''] = violationsOf(kind, document, BUILT_IN_CEILING)
    expect(first).toContain(`${field}: the tenant's ceiling permits ${permitted}`)
    expect(first).toContain('an operator can change it')
    expect(violationsOf(kind, document, NO_CEILING)).toEqual([])
  })

  test('is refused only for what the writer chose', () => {
    const low = ceilingOf(BUILT_IN_CEILING, {
      quota: { runsInFlight: 1 },
      machine: { cpus: 1 },
      description: '',
    })
    expect(violationsOf('quota', { liveAgents: 3 }, low)).toEqual([])
    expect(violationsOf('vm-profile', {}, low)).toEqual([])
    expect(violationsOf('quota', { liveAgents: 3, runsInFlight: 7 }, low, { runsInFlight: 7 })).toEqual([])
    expect(violationsOf('quota', { runsInFlight: 8 }, low, { runsInFlight: 7 })).toHaveLength(1)
  })
})

describe('a ceiling', () => {
  const kind = requireKind('ceiling')

  test('is written and deleted by operators alone', () => {
    const stored = { generation: 1n, document: { description: '', quota: {}, machine: {} } }
    const command = { kind, name: 'default', ifGenerationMatch: undefined }
    expect(() => draft(kind, 'default', {}, NO_CEILING)).toThrow(refusal('PERMISSION_MISSING'))
    expect(() => decideDelete(command, stored, [], admin)).toThrow(refusal('PERMISSION_MISSING'))
    expect(draft(kind, 'default', {}, NO_CEILING, undefined, operator).violations).toEqual([])
    expect(decideDelete(command, stored, [], operator).generation).toBe(2n)
  })

  test('of a tenant has one name; that of the installation is not in the catalog to be written', () => {
    for (const name of ['installation', 'other']) {
      expect(() => draft(kind, name, {}, NO_CEILING, undefined, operator)).toThrow(
        refusal('DOCUMENT_INVALID'),
      )
    }
  })

  test('that leaves something out has the installation’s', () => {
    const own = { description: '', quota: { liveAgents: 7 }, machine: { cpus: 3 } }
    const merged = ceilingOf(BUILT_IN_CEILING, own)
    expect(merged).toEqual({
      ...BUILT_IN_CEILING,
      quota: { ...BUILT_IN_CEILING.quota, liveAgents: 7 },
      machine: { ...BUILT_IN_CEILING.machine, cpus: 3 },
    })
    expect(ceilingOf(BUILT_IN_CEILING, undefined)).toEqual(BUILT_IN_CEILING)
  })
})
