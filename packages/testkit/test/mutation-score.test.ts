import { expect, test } from 'vitest'
import { scoreOf, survivorsOf, type MutationReport } from '../../../e2e/mutation/score.ts'

const location = { start: { line: 3 } }
const report: MutationReport = {
  files: {
    'a.ts': {
      mutants: [
        { status: 'Killed', mutatorName: 'BooleanLiteral', location },
        { status: 'Timeout', mutatorName: 'BlockStatement', location },
        { status: 'Ignored', mutatorName: 'StringLiteral', location },
        { status: 'Survived', mutatorName: 'BlockStatement', replacement: '{\n}', location },
      ],
    },
    'b.ts': { mutants: [{ status: 'NoCoverage', mutatorName: 'ArrayDeclaration', location }] },
  },
}

test('a change that no test runs counts as missed, one that was left out counts for nothing', () => {
  expect(scoreOf(report)).toEqual({ score: 50, noticed: 2, missed: 2 })
})

test('each missed change is named with its line', () => {
  expect(survivorsOf(report)).toEqual([
    'missed a.ts:3 BlockStatement: { }',
    'missed b.ts:3 ArrayDeclaration: ',
  ])
})

test('a run that changed nothing has no score', () => {
  expect(() => scoreOf({ files: {} })).toThrow('Nothing was changed')
})
