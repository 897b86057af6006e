import type { ReactNode } from 'react'

/** What every page has before anybody is signed in. */
export function SignInFrame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-full max-w-sm flex-col gap-5 rounded-2xl border border-line bg-surface p-7 shadow-raised">
        <div className="flex items-center gap-3">
          <img src="/skein.svg" alt="" className="size-10" />
          <h1 className="text-xl font-semibold">{title}</h1>
        </div>
        {children}
      </div>
    </main>
  )
}
