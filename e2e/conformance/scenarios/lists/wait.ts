import type { Answer, Waited } from '../../answers.ts'
import type { Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'
import { plays, SLEEPS, sample } from '../../simulated.ts'
import { sleep, until } from '../../until.ts'

export async function wait(book: Book, api: Api): Promise<void> {
  const sleeper = sample('waited-for')
  await api.spawn(sleeper, `Sleep.${plays(...SLEEPS)}`)
  await api.asleep(sleeper)
  const waiting = async () => {
    const text = await (await fetch(`${api.service.baseUrl}/metrics`)).text()
    return Number(
      /^skein_waiting_requests(?:\{[^}]*operation="waitForAgent"[^}]*\})? (\d+)/m.exec(text)?.[1] ??
        Number.NaN,
    )
  }
  const hangUp = new AbortController()
  const cut = api.wait(sleeper, { signal: hangUp.signal }).then(
    () => 'answered',
    () => 'cut',
  )
  const two: { at: number; answer?: Answer<Waited> }[] = [{ at: 0 }, { at: 0 }]
  const both = two.map(async (each) => {
    each.answer = await api.wait(sleeper)
    each.at = Date.now()
  })
  await sleep(2500)
  book.row(
    'wait blocks while the turn is running',
    two.every(({ answer }) => answer === undefined),
  )
  const before = await waiting()
  hangUp.abort()
  book.equal('a client can hang up', await cut, 'cut')
  const after = await until(async () => ((await waiting()) < before ? true : undefined), 5000)
  book.row('disconnecting cancels the server-side call (seen in the metric of waiting requests)', after, [
    before,
    await waiting(),
  ])
  const asked = Date.now()
  const soon = await api.wait(sleeper, { headers: { prefer: 'wait=1' } })
  book.row(
    'Prefer: wait=1 answers soon, with WAIT_REASON_UNSPECIFIED',
    soon.json.reason === 'WAIT_REASON_UNSPECIFIED' && Date.now() - asked < 15_000,
    shown(soon),
  )
  book.equal(
    'a wait that was cut changes nothing about the agent',
    (await api.stateOf(sleeper)).phase,
    'PHASE_RUNNING',
  )
  const { runCount } = await api.stateOf(sleeper)
  await api.stop(sleeper, { runId: runCount })
  await Promise.race([Promise.all(both), sleep(15_000)])
  book.row(
    'every wait wakes when the agent comes to rest',
    two.every(({ answer }) => answer?.json.reason === 'WAIT_REASON_WAITING'),
    two.map(({ answer }) => answer?.text?.slice(0, 60)),
  )
  const ended = Date.parse((await api.stateOf(sleeper)).run.endTime)
  book.row(
    '… promptly',
    two.every(({ at }) => at - ended < 5000),
    two.map(({ at }) => at - ended),
  )
  const killed = api.wait(sleeper)
  await api.queue(sleeper, { description: `On.${plays(...SLEEPS)}` })
  await killed
  await api.running(sleeper)
  const dying = api.wait(sleeper)
  await sleep(300)
  await api.kill(sleeper)
  book.equal(
    'a wait in progress answers when the agent is killed',
    (await dying).json.reason,
    'WAIT_REASON_CANCELED',
  )
}
