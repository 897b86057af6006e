import type { Skein } from '@skein/client'
import type { News } from './news.ts'
import { TenantDesk } from './tenant-news.ts'

/** Nothing here is urgent: people who must know at once get a message. */
const LOOK_EVERY_MS = 60_000

type Source = Pick<Skein, 'listBudgets' | 'integrations'>

/** Reports news of the tenant's budgets and integrations, those that the user may see, until it is aborted. */
export async function watchTenantNews(
  source: Source,
  signal: AbortSignal,
  onNews: (news: News) => void,
  everyMs = LOOK_EVERY_MS,
): Promise<void> {
  const desk = new TenantDesk()
  while (!signal.aborted) {
    const [budgets, integrations] = await Promise.allSettled([
      source.listBudgets({ signal }),
      source.integrations.list({ signal }),
    ])
    // A look that failed says nothing. What was new then is new at the next one.
    if (budgets.status === 'fulfilled' && integrations.status === 'fulfilled') {
      const facts = { budgets: budgets.value.budgets, integrations: integrations.value }
      for (const news of desk.read(facts)) onNews(news)
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
