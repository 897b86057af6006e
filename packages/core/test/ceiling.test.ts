import { encodeBase64Text, MAX_QUOTA, NETWORKS, SANDBOXES, type Kind } from '@skein/contract'
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
  .map((own) => ceilingOf(BUILT_IN_CEILING, withDefaults(requireKind('ceiling'), own)))

const RUNS = { numRuns: 2000 }

describe('whatever a tenant writes, it never gets more than its ceiling', () => {
  test('of its quota', () => {
    fc.assert(
      fc.property(ceilings, fc.option(quotas, { nil: undefined }), (ceiling, document) => {
        const quota = effectiveQuota(document, ceiling)
        for (const name of QUOTAS) {
          expect(quota[name]).toBeLessThanOrEqual(ceiling.quota[name])
          const wanted = document?.[name]
          if (wanted !== undefined) expect(quota[name]).toBe(Math.min(wanted, ceiling.quota[name]))
        }
      }),
      RUNS,
    )
  })

  test('of the machine, where 0 stands for no limit', () => {
    fc.assert(
      fc.property(ceilings, sizes, (ceiling, profile) => {
        const machine = effectiveMachine(profile, ceiling)
        for (const name of SIZES) {
          const most = ceiling.machine[name]
          if (most === 0) expect(machine[name]).toBe(profile[name] ?? 0)
          else expect(machine[name] > 0 && machine[name] <= most).toBe(true)
        }
      }),
      RUNS,
    )
  })

  test('of networks and sandboxes, and what it may have it gets', () => {
    fc.assert(
      fc.property(
        ceilings,
        fc.constantFrom(...NETWORKS, undefined),
        fc.constantFrom(...SANDBOXES, undefined),
        (ceiling, network, sandbox) => {
          const given = effectiveNetwork({ network }, ceiling)
          expect(given === 'none' || ceiling.networks.includes(given)).toBe(true)
          expect(NETWORKS.indexOf(given)).toBeLessThanOrEqual(NETWORKS.indexOf(network ?? 'gateway'))
          if (network && ceiling.networks.includes(network)) expect(given).toBe(network)
          const box = effectiveSandbox({ sandbox }, ceiling)
          expect(box === 'bubblewrap' || ceiling.sandboxes.includes(box)).toBe(true)
          if (sandbox && ceiling.sandboxes.includes(sandbox)) expect(box).toBe(sandbox)
        },
      ),
      RUNS,
    )
  })

  test('of tools that cost too little', () => {
    fc.assert(
      fc.property(ceilings, toolPrices, (ceiling, own) => {
        const prices = effectiveToolPrices(own, ceiling)
        for (const least of ceiling.toolPrices) {
          const found = prices.filter(({ tool }) => tool === least.tool)
          expect(found).toHaveLength(1)
          expect(found[0]?.perUse).toBeGreaterThanOrEqual(least.perUse)
        }
      }),
      RUNS,
    )
  })
})

const admin = callerAs('admin')
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
  const payload = encodeBase64Text(JSON.stringify(document))
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
  const refusal = (reason: string): unknown => expect.objectContaining({ reason })

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
