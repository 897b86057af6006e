import { Page } from '../../layout/page.tsx'
import { SessionsCard } from './sessions-card.tsx'

export function SessionsPage() {
  return (
    <Page
      title="Sessions"
      description="Browsers and command lines signed in to your account. Sign out any you do not recognize."
      width="max-w-3xl"
    >
      <SessionsCard />
    </Page>
  )
}
