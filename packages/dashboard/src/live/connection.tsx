import { WifiOff } from 'lucide-react'

/** Whether the page shows the service's current state. */
export type ConnectionState = 'connecting' | 'open' | 'lost'

/** Shown only if the connection isn't live. */
export function ConnectionNotice({ state }: { readonly state: ConnectionState }) {
  return (
    <div role="status" aria-live="polite">
      {state === 'lost' && (
        <p className="flex items-center justify-center gap-2 bg-waiting-soft px-4 py-1.5 text-sm font-medium text-waiting">
          <WifiOff size={16} aria-hidden />
          Connection lost. What you see may be out of date; reconnecting…
        </p>
      )}
    </div>
  )
}
