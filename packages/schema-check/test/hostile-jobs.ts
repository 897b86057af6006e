import { answerJobs } from '../src/index.ts'

const JOBS: Readonly<Record<string, () => unknown>> = {
  sum: () => 1 + 1,
  spin: () => {
    for (;;);
  },
  match: () => /^(a+)+$/u.test(`${'a'.repeat(60)}b`),
  fill: () => {
    const kept: string[][] = []
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => `${index}`))
  },
  fail: () => {
    throw new Error('a fault of ours')
  },
}

answerJobs((name: string) => JOBS[name]?.())
