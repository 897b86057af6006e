import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Bell,
  BellOff,
  BookOpen,
  ChartColumnStacked,
  CircleUserRound,
  KeyRound,
  LogOut,
  Monitor,
  ScrollText,
  Server,
  SunMoon,
  UserRound,
  Webhook,
  type LucideIcon,
} from 'lucide-react'
import { useState } from 'react'
import { switchNotifications, useNotificationSetting } from '../notifications/notification-setting.ts'
import { canWriteCatalog, identityQuery, type SignedIn } from '../session/identity.ts'
import { forgetPageSecret } from '../session/page-secret.ts'
import { queries } from '../session/queries.ts'
import { skein } from '../session/skein.ts'
import { applyTheme, nextTheme, readTheme } from '../theme.ts'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { toastError } from '../ui/toasts.tsx'

type RarePath = '/account' | '/automations' | '/usage' | '/runners' | '/sessions' | '/tokens' | '/audit'

export function AccountMenu({ identity }: { readonly identity: SignedIn }) {
  const navigate = useNavigate()
  const [theme, setTheme] = useState(readTheme)
  const isNotified = useNotificationSetting()
  const signOut = useMutation({
    mutationFn: (everywhere: boolean) => skein.signOut({ everywhere }),
    onSuccess: () => {
      // The next person must not see what was loaded in the old session.
      queries.clear()
      forgetPageSecret()
      queries.setQueryData(identityQuery.queryKey, null)
      void navigate({ to: '/sign-in' })
    },
    onError: toastError,
  })
  const link = (label: string, icon: LucideIcon, to: RarePath) =>
    action(label, icon, () => void navigate({ to }))
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-md text-left text-muted hover:text-ink max-lg:h-full max-lg:flex-col max-lg:justify-center max-lg:gap-0.5 max-lg:px-4 max-lg:text-[0.7rem] lg:px-2.5 lg:py-2 lg:text-sm lg:hover:bg-raised"
        >
          <CircleUserRound size={18} aria-hidden />
          <span className="min-w-0">
            <span className="block truncate font-medium max-lg:max-w-16">{identity.account}</span>
            <span className="block truncate text-xs max-lg:hidden">
              {identity.tenant.org} · {identity.role}
            </span>
          </span>
        </button>
      }
      items={[
        action(`Theme: ${theme}`, SunMoon, () => {
          const next = nextTheme(theme)
          applyTheme(next)
          setTheme(next)
        }),
        action(`Notifications: ${isNotified ? 'on' : 'off'}`, isNotified ? Bell : BellOff, () => {
          switchNotifications(!isNotified).catch(toastError)
        }),
        action('Documentation', BookOpen, () => window.location.assign('/docs')),
        link('Automations', Webhook, '/automations'),
        link('Usage', ChartColumnStacked, '/usage'),
        link('Runners', Server, '/runners'),
        link('Account', UserRound, '/account'),
        link('Sessions', Monitor, '/sessions'),
        ...(canWriteCatalog(identity)
          ? [link('Tokens', KeyRound, '/tokens'), link('Audit log', ScrollText, '/audit')]
          : []),
        action('Sign out', LogOut, () => signOut.mutate(false)),
        action('Sign out everywhere', LogOut, () => signOut.mutate(true)),
      ]}
    />
  )
}

function action(label: string, Icon: LucideIcon, onSelect: () => void): MenuItem {
  return { label, icon: <Icon size={16} aria-hidden />, onSelect }
}
