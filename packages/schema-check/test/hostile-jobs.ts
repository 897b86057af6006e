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
  grow: () => {
    let text = 'x'
    for (;;) text = `${text}${text.slice(1)}${Math.random()}`
  },
  busy: () => {
    const until = performance.now() + 200
    while (performance.now() < until);
    return 'busy'
  },
  pid: () => process.pid,
  fail: () => {
    throw new Error('a fault of ours')
  },
}

answerJobs((job: string) => (job.startsWith('echo ') ? job.slice(5) : JOBS[job]?.()))
