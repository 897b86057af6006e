import { KINDS, SkeinError, type Kind } from '@skein/contract'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import {
  applyFieldMask,
  decideWrite,
  draftWrite,
  NO_CEILING,
  type Document,
  type Draft,
} from '../src/index.ts'
import { documentOf, maskOf, patchOf } from './arbitrary-document.ts'
import { callerAs } from './caller.ts'
import { modelPatch, modelWrite } from './patch-model.ts'

/** The nightly command sets more. */
const RUNS = Number(process.env['SKEIN_PROPERTY_RUNS'] ?? 2000)
/** Takes 1 s on an idle machine; this is for a busy one, and for more runs. */
const TIMEOUT_MS = 120_000
let casesOfMasks = 0
let casesOfWrites = 0
let accepted = 0

afterAll(() => {
  console.log(
    `patches against the reference model: ${casesOfMasks} of any JSON, ${casesOfWrites} of catalog kinds (${accepted} accepted)`,
  )
})

const name = fc.constantFrom('a', 'b', 'c', 'toString', 'constructor')
const { json } = fc.letrec<{ json: unknown; object: Record<string, unknown> }>((tie) => ({
  object: fc.dictionary(name, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>('', 0, false, null, [], {}, 'text', 7, true, [1, { a: 0 }]),
    tie('object'),
  ),
}))
const document = fc.dictionary(name, json, { maxKeys: 4, noNullPrototype: true })
const paths = fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { maxLength: 5 })

describe('a field mask', () => {
  test(
    'takes exactly the masked paths from the patch, for any documents',
    () => {
      fc.assert(
        fc.property(document, document, paths, (current, patch, mask) => {
          casesOfMasks += 1
          const before = JSON.stringify([current, patch])
          expect(applyFieldMask(current, patch, mask)).toEqual(modelPatch(current, patch, mask))
          expect(JSON.stringify([current, patch])).toBe(before)
        }),
        { numRuns: RUNS },
      )
    },
    TIMEOUT_MS,
  )
})

interface Case {
  readonly kind: Kind
  readonly current: Record<string, unknown>
  readonly payload: Record<string, unknown>
  readonly mask: string
}

const cases: fc.Arbitrary<Case> = fc.oneof(
  ...KINDS.map((kind) =>
    fc.record({
      kind: fc.constant(kind),
      current: documentOf(kind),
      payload: patchOf(kind),
      mask: maskOf(kind),
    }),
  ),
)

const caller = callerAs('operator')

describe('a write to the catalog', () => {
  test(
    'leaves what the reference model says, for random documents, masks and payloads of every kind',
    () => {
      fc.assert(
        fc.property(cases, ({ kind, current, payload, mask }) => {
          casesOfWrites += 1
          const draft = draftWrite(
            {
              kind,
              // The only name that a ceiling can have.
              name: 'default',
              payload,
              updateMask: mask,
              ifGenerationMatch: 4n,
            },
            { generation: 4n, document: current },
            caller,
            NO_CEILING,
          )
          const { ownerProvider } = caller
          const expected = modelWrite(kind, { current, payload, mask, ownerProvider })
          expect(draft.document).toEqual(expected)
          const decided = decide(draft)
          if (decided === undefined) return
          accepted += 1
          expect(decided.generation).toBe(5n)
          expect(decided.document).toEqual(asStored(expected, decided.document))
          expect(JSON.parse(JSON.stringify(decided.document))).toEqual(decided.document)
        }),
        { numRuns: RUNS },
      )
      // About half of them are. A short run may have fewer by chance.
      expect(accepted).toBeGreaterThan(RUNS / 3)
    },
    TIMEOUT_MS,
  )
})

/** Undefined when the merged document is not a valid one, which the schema and the kind's rules decide. */
function decide(draft: Draft) {
  try {
    return decideWrite(draft, () => true, { now: 0, newKeyId: 'new' })
  } catch (error) {
    if (error instanceof SkeinError && draft.violations.length > 0) return undefined
    throw error
  }
}

/** Without what is never read back; with what the service sets. */
function asStored(
  expected: Record<string, unknown>,
  { keyId, incarnation }: Document,
): Record<string, unknown> {
  const { value: _neverRead, ...rest } = expected
  return {
    ...rest,
    ...(keyId !== undefined && { keyId }),
    ...(incarnation !== undefined && { incarnation }),
  }
}
