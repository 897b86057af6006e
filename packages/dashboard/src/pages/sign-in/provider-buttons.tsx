import type { SignInProvider } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { keepNext, keepOrg } from './under-way.ts'

interface Props {
  readonly providers: readonly SignInProvider[]
  readonly next: unknown
}

/** One for each identity provider. It leads away from here, and back to the callback page. */
export function ProviderButtons({ providers, next }: Props) {
  const start = useMutation({
    mutationFn: async (provider: SignInProvider) => {
      const url = await skein.startSignIn(provider)
      keepNext(next)
      keepOrg(provider.tenant.org)
      window.location.assign(url)
    },
  })
  return (
    <div className="flex flex-col gap-3">
      {providers.map((provider) => (
        <Button
          key={`${provider.tenant.provider}/${provider.name}`}
          look="primary"
          className="h-auto min-h-9 py-2 whitespace-normal"
          isBusy={start.isPending}
          onClick={() => start.mutate(provider)}
        >
          Continue with {provider.title}
        </Button>
      ))}
      {start.isError && <ErrorNotice error={start.error} />}
    </div>
  )
}
