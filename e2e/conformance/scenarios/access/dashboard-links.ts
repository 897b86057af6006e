import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { idle } from '../../simulated.ts'

export async function dashboardLinks(book: Book, api: Api): Promise<void> {
  const first = await api.spawn(idle('linked'), 'x')
  const browser = await fetch(first.json.dashboardUrl, { headers: { accept: 'text/html,*/*;q=0.8' } })
  book.row(
    'dashboardUrl leads a browser to a page',
    browser.status === 200 && browser.headers.get('content-type')?.startsWith('text/html'),
    `${first.json.dashboardUrl} → ${browser.status}`,
  )
  const plain = await fetch(first.json.dashboardUrl)
  book.row(
    'dashboardUrl is there for any client (Accept: */*, as curl and link checkers send)',
    plain.status === 200,
    `GET ${first.json.dashboardUrl} accept */* → ${plain.status} ${(await plain.text()).slice(0, 120)}`,
  )
  book.row(
    'the page of the dashboard of `skein dev` is there',
    (await fetch(api.service.dashboardUrl)).status === 200,
    api.service.dashboardUrl,
  )
  await api.kill(idle('linked'))
}
