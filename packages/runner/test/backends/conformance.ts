import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSandboxProvider } from '../../src/sandbox/providers.ts'
import type { SandboxLevel } from '../../src/sandbox/sandbox.ts'
import { Bench } from './conformance/bench.ts'
import type { ConformanceCase } from './conformance/case.ts'
import { endingCases } from './conformance/ending-cases.ts'
import { errorCases } from './conformance/error-cases.ts'
import { isolationCases } from './conformance/isolation-cases.ts'
import { outputCases } from './conformance/output-cases.ts'
import { programCases } from './conformance/program-cases.ts'
import type { SandboxProcessEntry } from './conformance/sandbox-processes.ts'
import { sessionCases } from './conformance/session-cases.ts'
import { Stage } from './conformance/stage.ts'
import type { ConformanceSubject, Dialect } from './conformance/subject.ts'
import { turnCases } from './conformance/turn-cases.ts'

/** `await` it at the top of a test file: whether a sandbox can be used here has to be known first. */
export async function describeConformance(subject: ConformanceSubject): Promise<void> {
  for (const [index, level] of subject.sandboxLevels.entries()) {
    const probe = await findSandboxProvider(level).probe()
    describeLevel(subject, level, { hasEveryCase: index === 0, reason: probe.isUsable ? '' : probe.reason })
  }
}

interface LevelOptions {
  readonly hasEveryCase: boolean
  /** Why the level cannot be used on this host; empty when it can. */
  readonly reason: string
}

function describeLevel(
  subject: ConformanceSubject,
  level: SandboxLevel,
  { hasEveryCase, reason }: LevelOptions,
): void {
  const capabilities = subject.openBackend().capabilities(subject.model)
  const cases = listCases(subject.dialect)
    .filter(({ isForEveryLevel }) => hasEveryCase || isForEveryLevel)
    .filter(({ needs }) => needs?.(capabilities) ?? true)
    .filter(({ name }) => !subject.dialect.exceptions?.includes(name))

  describe.skipIf(reason !== '')(`${subject.name} in the sandbox "${level}". ${reason}`, () => {
    let stage: Stage
    beforeAll(async () => {
      stage = await Stage.open(subject, level)
    })
    afterAll(async () => {
      console.log(`${subject.name} in the sandbox "${level}": ${stage.describeTimings()}`)
      await stage.close()
    })

    test.for(cases.filter(({ isAlone }) => isAlone))('$name', async (each) => {
      expect(await runCase(each, new Bench(stage))).toEqual([])
    })
    test.concurrent.for(cases.filter(({ isAlone }) => !isAlone))('$name', async (each) => {
      expect(await runCase(each, new Bench(stage))).toEqual([])
    })
  })
}

/** Returns what still runs of the agents of the case, after they were closed. */
async function runCase(
  { run, isAlone }: ConformanceCase,
  bench: Bench,
): Promise<readonly SandboxProcessEntry[]> {
  try {
    await run(bench)
    if (isAlone) bench.noteTimings()
  } finally {
    await bench.close()
  }
  return bench.listProcesses()
}

function listCases({ wire }: Dialect): readonly ConformanceCase[] {
  return [
    ...turnCases,
    ...sessionCases,
    ...endingCases,
    ...outputCases,
    ...errorCases,
    ...programCases,
    ...isolationCases,
    ...wire.map(({ name, setup, check }) => ({
      name: `A request to the model shows ${name}`,
      run: async (bench: Bench) => {
        const agent = await bench.openAgent({ setup })
        const { result } = await agent.run([{ say: 'Done.' }])
        expect(result).toMatchObject({ status: 'completed' })
        check(agent.requests()[0]?.body)
      },
    })),
  ]
}
