import { documentOf, type Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'
import { idle } from '../../simulated.ts'

export async function oneTimeSecrets(book: Book, api: Api): Promise<void> {
  await api.spawn(idle('shared'), 'x')
  const account = (await api.whoami()).json.account
  const name = 'once'
  for (const [kind, fields, field] of [
    ['token', { account: 'once', role: 'viewer' }, 'key'],
    ['share-link', { workspace: 'idle', agent: ['shared'], account }, 'key'],
    ['integration', { url: 'https://hooks.example.com/x' }, 'signingKey'],
  ] as const) {
    const first = await api.write(kind, name, fields, {}, { headers: { 'idempotency-key': `once-${kind}` } })
    const shownOnce = documentOf(first.json.payload)[field]
    book.row(
      `creating a ${kind} answers its one-time secret (${field})`,
      shownOnce.length >= 20,
      shown(first),
    )
    const places = {
      read: (await api.read(kind, name)).text,
      list: (await api.get(`/v1/catalog/${kind}`)).text,
      history: (await api.get(`/v1/catalog/${kind}/${name}/history`)).text,
    }
    const hidden = (text: string) => {
      const payloads = [...text.matchAll(/"payload":"([^"]*)"/g)].map((match) => documentOf(match[1] ?? ''))
      return (
        payloads.length > 0 &&
        payloads.every((each) => !(field in each)) &&
        !JSON.stringify(payloads).includes(shownOnce)
      )
    }
    for (const [place, text] of Object.entries(places))
      book.row(`the secret of a ${kind} is in no ${place}`, hidden(text), text)
    const later = await api.patch(kind, name, { description: 'changed' }, 'description')
    book.row(
      `a later write of the ${kind} does not carry it again`,
      later.status === 200 && !(field in documentOf(later.json.payload)),
      shown(later),
    )
    const replay = await api.write(kind, name, fields, {}, { headers: { 'idempotency-key': `once-${kind}` } })
    book.row(
      `nor does the repeated answer of an Idempotency-Key (${kind})`,
      replay.status === 200 &&
        !(field in documentOf(replay.json.payload)) &&
        replay.headers.get('idempotent-replay') === 'true',
      shown(replay),
    )
  }
  await api.kill(idle('shared'))
  await api.write('secret', 'hush', { value: 'correct horse battery staple' })
  book.row(
    'the value of a secret is never given back',
    !Buffer.from((await api.read('secret', 'hush')).json.payload, 'base64').includes('horse'),
  )
}
