import type { AgentId } from '../../answers.ts'
import { documentOf, type Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { idle } from '../../simulated.ts'

export async function shareLinks(book: Book, api: Api): Promise<void> {
  const { account } = (await api.whoami()).json
  const agent = { ...idle('shown'), account }
  await api.spawn(agent, 'x')
  await api.spawn(idle('hidden'), 'x')
  const document = { workspace: 'idle', agent: ['shown'], account, description: 'For the customer.' }
  const link = await api.write('share-link', 'shown', document)
  const guest = { key: documentOf(link.json.payload).key }
  const share = await api.get<{ agentId: AgentId; description: string }>('/v1/share', guest)
  book.equal(
    'a share link tells what it shows',
    [share.json.agentId.agent, share.json.description],
    [['shown'], 'For the customer.'],
  )
  book.ok('its holder sees the agent', await api.status(agent, guest))
  book.notFound('… and no other', await api.status({ ...idle('hidden'), account }, guest))
  book.denied('… and changes nothing: PERMISSION_DENIED', await api.kill(agent, guest))
  book.denied('… and sees no list: PERMISSION_DENIED', await api.list({}, guest))
  await api.kill(agent)
  await api.spawn(agent, 'A new life.')
  book.unauthenticated('it ends with the life that it shows', await api.status(agent, guest))
  for (const each of [agent, idle('hidden')]) await api.kill(each)
}
