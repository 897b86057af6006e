import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { BUGS as AUTOMATION_BUGS } from '../../../e2e/automations/planted/bugs.ts'
import { BUGS } from '../../../e2e/crash/planted/bugs.ts'
import { BUGS as REVIEW_BUGS } from '../../../e2e/pull-requests/planted/bugs.ts'
import { whyUnapplied } from '../../../e2e/crash/planted/plant.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

test('every bug that the crash test must notice can still be planted', () => {
  expect(BUGS.length).toBeGreaterThan(20)
  expect(BUGS.map((bug) => whyUnapplied(ROOT, bug)).filter((why) => why !== undefined)).toEqual([])
})

test('every bug that the test of pull requests must notice can still be planted', () => {
  expect(REVIEW_BUGS.map((bug) => whyUnapplied(ROOT, bug)).filter((why) => why !== undefined)).toEqual([])
})

test('every bug that the test of automations must notice can still be planted', () => {
  expect(AUTOMATION_BUGS.map((bug) => whyUnapplied(ROOT, bug)).filter((why) => why !== undefined)).toEqual([])
})
