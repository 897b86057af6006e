import type { LinkableProvider } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'

/** One for each identity provider. It leads away from here, and back through the callback page. */
export function LinkButtons({ providers }: { readonly providers: readonly LinkableProvider[] }) {
  const start = useMutation({
    mutationFn: async (name: string) => window.location.assign(await skein.startAccountLink(name)),
  })
  if (providers.length === 0) return null
  return (
    <div className="flex flex-wrap gap-2">
      {providers.map(({ name, title }) => (
        <Button
          key={name}
          className="h-auto min-h-9 py-2 whitespace-normal"
          isBusy={start.isPending}
          onClick={() => start.mutate(name)}
        >
          Link {title}
        </Button>
      ))}
      {start.isError && <ErrorNotice error={start.error} className="w-full" />}
    </div>
  )
}
