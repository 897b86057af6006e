import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { plays, sample } from '../../simulated.ts'
import { sleep, until } from '../../until.ts'

export async function noEscalation(book: Book, api: Api): Promise<void> {
  await Promise.all(
    [
      ['A', ''],
      ['B', 'gpt-5.5'],
    ].map(async ([backend = '', model]) => {
      const agent = sample(`frozen-${backend.toLowerCase()}`)
      await api.spawn(
        agent,
        `Freeze.${plays({ say: 'One.', shell: 'true' }, { say: 'Now I freeze.', shell: 'kill -STOP $PPID; sleep 120' }, { say: 'Thawed.' })}`,
        { model },
      )
      await until(async () =>
        (await api.timeline(agent)).some(
          ({ type, text }) => type === 'run.message' && text === 'Now I freeze.',
        )
          ? true
          : undefined,
      )
      // Nothing shows from outside that it is frozen.
      await sleep(4000)
      await api.stop(agent, { runId: '1', mode: 'STOP_TURN_MODE_INTERRUPT' })
      await sleep(4000)
      const { phase, run } = await api.stateOf(agent)
      const isRunning = book.row(
        `no automatic escalation: an INTERRUPT without effect (the program is frozen) leaves the turn running (backend ${backend})`,
        phase === 'PHASE_RUNNING' && run.stopMode === 'STOP_TURN_MODE_INTERRUPT',
        `4 s after the INTERRUPT: ${phase} ${JSON.stringify(run)}`,
      )
      if (isRunning) {
        await api.stop(agent, { runId: '1', mode: 'STOP_TURN_MODE_KILL' })
        book.equal(
          `… until a second stop with KILL ends it (backend ${backend})`,
          (await api.rested(agent)).status.run.endReason,
          'killed',
        )
      }
      await api.kill(agent)
    }),
  )
}
