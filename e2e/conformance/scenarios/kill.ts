import type { Api } from '../api.ts'
import { shown, type Book } from '../book.ts'
import { nameOf } from '../shapes.ts'
import { plays, SLEEPS, sample, idle } from '../simulated.ts'
import { until } from '../until.ts'

export async function killTree(book: Book, api: Api): Promise<void> {
  const grandkid = `Sleep.${plays(...SLEEPS)}`
  const kid = `Spawn and sleep.${plays({ tool: 'spawn_child', input: { name: 'grandkid', task: grandkid } }, ...SLEEPS)}`
  const root = sample('ancestor')
  await api.spawn(
    root,
    `Spawn and sleep.${plays({ tool: 'spawn_child', input: { name: 'kid', task: kid } }, ...SLEEPS)}`,
  )
  const deep = sample('ancestor', 'kid', 'grandkid')
  const alive = await until(async () =>
    (await api.stateOf(deep))?.phase === 'PHASE_RUNNING' ? true : undefined,
  )
  book.row('agents spawn children, which spawn theirs', alive)
  book.equal(
    'they are listed one level deep',
    [
      (await api.list({ parentId: root })).json.entries.map(nameOf),
      (await api.list({ parentId: sample('ancestor', 'kid') })).json.entries.map(nameOf),
    ],
    [['ancestor/kid'], ['ancestor/kid/grandkid']],
  )
  await api.spawn(idle('bystander'), 'x')
  const killed = await api.kill(root)
  book.row(
    'kill answers 200 and an empty object',
    killed.status === 200 && killed.text === '{}',
    shown(killed),
  )
  const phases = await Promise.all(
    [root, sample('ancestor', 'kid'), deep].map(async (each) => (await api.stateOf(each)).phase),
  )
  book.equal('the agent and every agent it spawned are terminated, at once', phases, [
    'PHASE_CANCELED',
    'PHASE_CANCELED',
    'PHASE_CANCELED',
  ])
  book.equal('their runs ended as killed', (await api.stateOf(deep)).run.endReason, 'killed')
  book.equal('others live on', (await api.stateOf(idle('bystander'))).phase, 'PHASE_PENDING')
  book.equal('kill again: an empty object', (await api.kill(root)).json, {})
  book.precondition(
    'nobody is spawned below an agent that was killed',
    await api.spawn(sample('ancestor', 'late'), 'x'),
  )
  book.notFound('a killed child takes no messages', await api.queue(deep, { description: 'x' }))
}

export async function killBranch(book: Book, api: Api): Promise<void> {
  await api.spawn(idle('bystander', 'left'), 'x')
  await api.spawn(idle('bystander', 'right'), 'x')
  await api.spawn(idle('bystander', 'right', 'leaf'), 'x')
  await api.kill(idle('bystander', 'right'))
  const parts = await Promise.all(
    [
      idle('bystander'),
      idle('bystander', 'left'),
      idle('bystander', 'right'),
      idle('bystander', 'right', 'leaf'),
    ].map(async (each) => (await api.stateOf(each)).phase),
  )
  book.equal('killing a child ends what is below it and leaves what is beside and above', parts, [
    'PHASE_PENDING',
    'PHASE_PENDING',
    'PHASE_CANCELED',
    'PHASE_CANCELED',
  ])
  await api.queue(idle('bystander'), { description: 'Never delivered.', followUpId: 'undelivered' })
  await api.kill(idle('bystander'))
  book.equal(
    'what was queued for a killed agent can no longer be removed',
    (await api.remove(idle('bystander'), 'undelivered')).json,
    { removed: false },
  )
}

export async function killRace(book: Book, api: Api): Promise<void> {
  let escaped = 0
  for (let round = 0; round < 5; round++) {
    const above = idle(`race-${round}`)
    await api.spawn(above, 'x')
    const names = ['a', 'b', 'c', 'd'].map((name) => idle(`race-${round}`, name))
    const [late] = await Promise.all([
      Promise.all(names.map((name) => api.spawn(name, 'x'))),
      api.kill(above),
    ])
    for (const [index, name] of names.entries())
      if (late[index]?.status === 200 && (await api.stateOf(name)).phase !== 'PHASE_CANCELED') escaped++
  }
  book.equal(
    'children that are spawned at the same moment do not escape (5 races of 4 spawns and a kill)',
    escaped,
    0,
  )
}
