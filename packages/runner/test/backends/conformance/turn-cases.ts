import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { ConformanceCase } from './case.ts'

const run = promisify(execFile)

export const turnCases: readonly ConformanceCase[] = [
  {
    name: 'an answer in plain text arrives as text, after the start and with a session',
    isAlone: true,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { events, result } = await agent.run([{ say: 'Nothing to do here.' }])
      expect(result).toMatchObject({
        status: 'completed',
        text: 'Nothing to do here.',
        session: { backend: bench.stage.subject.openBackend().name },
      })
      expect(events[0]).toEqual({
        type: 'started',
        session: result.session,
        model: bench.stage.subject.model,
      })
      expect(events).toContainEqual({ type: 'text', text: 'Nothing to do here.' })
    },
  },
  {
    name: 'what the model thinks arrives apart from what it says',
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { events, result } = await agent.run([{ think: 'A riddle of sorts.', say: 'Solved.' }])
      expect(result).toMatchObject({ status: 'completed', text: 'Solved.' })
      expect(events).toContainEqual({ type: 'thinking', text: 'A riddle of sorts.' })
    },
  },
  {
    name: 'a shell command changes files, commits them, and is reported with its input and output',
    isAlone: true,
    isForEveryLevel: true,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const command = 'echo one > out.txt && git add -A && git commit -qm "By the agent" && echo committed'
      const { events, result } = await agent.run([{ shell: command }, { say: 'It said ${result|line}.' }])
      expect(result).toMatchObject({ status: 'completed' })
      expect(await agent.readFile('out.txt')).toBe('one\n')
      const { stdout } = await run('git', ['log', '--format=%s'], { cwd: agent.workDir })
      expect(stdout).toBe('By the agent\n')
      const started = events.find((event) => event.type === 'tool-started')
      expect(started?.input).toContain('git commit -qm')
      const ended = events.find((event) => event.type === 'tool-ended')
      expect(ended).toMatchObject({ id: started?.id, tool: started?.tool, isError: false })
      expect(ended?.input).toContain('git commit -qm')
      expect(ended?.output).toContain('committed')
    },
  },
  {
    name: 'a command that fails is reported as an error, and the turn continues',
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { events, result } = await agent.run([{ shell: 'echo broken; exit 3' }, { say: 'It failed.' }])
      expect(result).toMatchObject({ status: 'completed', text: 'It failed.' })
      const ended = events.find((event) => event.type === 'tool-ended')
      expect(ended).toMatchObject({ isError: true })
      expect(ended?.output).toContain('broken')
    },
  },
  {
    name: 'the program writes files with its own tool',
    run: async (bench) => {
      const agent = await bench.openAgent()
      const path = `${agent.workDir}/notes/new.md`
      const { events, result } = await agent.run([{ write: { path, text: 'New.' } }, { say: 'Written.' }])
      expect(result).toMatchObject({ status: 'completed' })
      expect(await agent.readFile('notes/new.md')).toBe('New.\n')
      expect(events.filter(({ type }) => type === 'tool-ended')).toHaveLength(1)
    },
  },
  {
    name: 'several calls in one answer are each reported once, from start to end',
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { events, result } = await agent.run([
        { calls: [{ shell: 'echo first' }, { shell: 'echo second' }] },
        { say: 'Both.' },
      ])
      expect(result).toMatchObject({ status: 'completed' })
      const started = events.flatMap((event) => (event.type === 'tool-started' ? [event.id] : []))
      const ended = events.flatMap((event) => (event.type === 'tool-ended' ? [event.id] : []))
      expect(started).toHaveLength(2)
      expect(ended.toSorted()).toEqual(started.toSorted())
    },
  },
  {
    name: 'a call of our tools arrives with the token of the agent, and its answer reaches the model',
    isForEveryLevel: true,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const { events, result } = await agent.run([
        { tool: 'note', input: { text: agent.id } },
        { say: 'Answer: ${result|line}' },
      ])
      expect(result).toMatchObject({ status: 'completed' })
      expect(bench.stage.tools.calls.filter(({ text }) => text === agent.id)).toEqual([
        { token: agent.toolsToken, text: agent.id },
      ])
      expect(JSON.stringify(agent.requests().at(-1)?.body)).toContain(`noted ${agent.id}`)
      const ended = events.find((event) => event.type === 'tool-ended')
      expect(ended?.tool).toContain('note')
      expect(ended?.output).toContain(`noted ${agent.id}`)
    },
  },
  {
    name: 'one process executes several turns, in order and in one conversation',
    isAlone: true,
    isForEveryLevel: true,
    run: async (bench) => {
      const agent = await bench.openAgent()
      const sessions = new Set<string | undefined>()
      for (const number of ['one', 'two', 'three']) {
        const { result } = await agent.run([{ shell: `echo ${number} >> log.txt` }, { say: number }])
        expect(result).toMatchObject({ status: 'completed', text: number })
        expect(agent.program.isAlive).toBe(true)
        sessions.add(result.session?.id)
      }
      expect(await agent.readFile('log.txt')).toBe('one\ntwo\nthree\n')
      expect(agent.startsOfProgram).toBe(1)
      expect(sessions.size).toBe(1)
    },
  },
  {
    name: 'a second turn at the same time is refused, and the first is not disturbed',
    run: async (bench) => {
      const agent = await bench.openAgent()
      const first = agent.start([{ shell: 'touch started; until [ -e go ]; do :; done' }, { say: 'First.' }])
      await agent.waitForFile('started')
      const second = await agent.run([{ say: 'Second.' }])
      expect(second.result).toMatchObject({ status: 'failed', error: { kind: 'protocol' } })
      await agent.touchFile('go')
      expect(await first.result).toMatchObject({ status: 'completed', text: 'First.' })
    },
  },
]
