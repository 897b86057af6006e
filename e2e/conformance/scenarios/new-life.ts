import type { Api } from '../api.ts'
import { shown, type Book } from '../book.ts'
import { idle } from '../simulated.ts'
import { soon } from '../until.ts'

export async function newLife(book: Book, api: Api): Promise<void> {
  const again = idle('lives-twice')
  await api.spawn(again, 'x')
  await api.kill(again)
  const lived = await api.stateOf(again)
  const spawned = await api.spawn(again, 'Again.')
  const now = await api.stateOf(again)
  book.row(
    'spawning over a terminal agent starts a new life; run numbers go on',
    spawned.status === 200 && now.phase === 'PHASE_PENDING' && BigInt(now.runCount) > BigInt(lived.runCount),
    [lived.runCount, now.runCount],
  )
  // A new incarnation starts with an empty queue.
  const reborn = idle('reborn')
  await api.spawn(reborn, 'First life.')
  await api.queue(reborn, {
    description: 'For the first life.',
    followUpId: 'shared-id',
    deliverAt: soon(3_600_000),
  })
  await api.kill(reborn)
  const second = await api.spawn(reborn, 'Second life.')
  const pending = (await api.stateOf(reborn)).followUps.map(({ followUpId }) => followUpId)
  book.equal(
    'a new life under the same identity gets no message that was meant for the one before',
    pending,
    [second.json.followUpId],
  )
  const fresh = await api.queue(reborn, { description: 'For the second life.', followUpId: 'spoken-before' })
  await api.kill(reborn)
  await api.spawn(reborn, 'Third life.')
  const third = await api.queue(reborn, { description: 'For the third life.', followUpId: 'spoken-before' })
  const kept = (await api.stateOf(reborn)).followUps.some(({ followUpId }) => followUpId === 'spoken-before')
  book.row(
    'a followUpId of an earlier life does not swallow a message for the new one',
    fresh.status === 200 && (third.status !== 200 || kept),
    `${shown(third)}; not in followUps`,
  )
  await api.kill(reborn)
}
