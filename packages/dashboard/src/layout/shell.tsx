import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouter } from '@tanstack/react-router'
import {
  BookOpen,
  ChartColumnStacked,
  Bird,
  CircleQuestionMark,
  Inbox,
  KeyRound,
  Plus,
  ScrollText,
  Search,
  Server,
  Webhook,
} from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { AgentNotifications } from '../notifications/agent-notifications.tsx'
import { canWriteCatalog, identityQuery, useIdentity } from '../session/identity.ts'
import { classNames } from '../ui/class-names.ts'
import { AccountMenu } from './account-menu.tsx'
import { InboxCount } from './inbox-count.tsx'
import { LoadingPage } from './page-states.tsx'
import { PageTitle } from './page-title.tsx'
import { Shortcuts, useOverlay, type Overlay } from './shortcuts.tsx'

/** The frame around every page that requires sign-in. */
export function Shell() {
  const { data: identity } = useQuery(identityQuery)
  const router = useRouter()
  const [overlay, setOverlay] = useOverlay()
  // A session may end while a page is open: by expiring, or by being revoked. The route redirects to the sign-in.
  useEffect(() => {
    if (identity === null) void router.invalidate()
  }, [identity, router])
  if (identity === null) return <LoadingPage />
  return (
    <div className="flex min-h-dvh flex-col lg:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded focus:bg-surface focus:p-2"
      >
        Skip to content
      </a>
      <PageTitle />
      <SideBar onOpen={setOverlay} />
      <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none max-lg:pb-16">
        <Outlet />
      </main>
      <Shortcuts open={overlay} onOpen={setOverlay} />
      <AgentNotifications />
    </div>
  )
}

function SideBar({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }) {
  const identity = useIdentity()
  return (
    <nav
      aria-label="Main"
      className={classNames(
        'z-30 flex shrink-0 border-line bg-surface',
        'max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:items-stretch max-lg:justify-around max-lg:border-t',
        'lg:sticky lg:top-0 lg:h-dvh lg:w-52 lg:flex-col lg:gap-1 lg:border-r lg:p-3',
      )}
    >
      <Link to="/" className="mb-3 flex items-center gap-2 px-2 py-1 text-lg font-bold max-lg:hidden">
        <img src="/skein.svg" alt="" className="size-7" />
        Skein
      </Link>
      <Opener
        label="Go to…"
        keys="Ctrl K"
        icon={<Search size={18} aria-hidden />}
        onClick={() => onOpen('palette')}
      />
      <Place to="/" label="Fleet" icon={<Bird size={18} aria-hidden />} isExact />
      <Place to="/inbox" label="Inbox" icon={<Inbox size={18} aria-hidden />}>
        <InboxCount />
      </Place>
      <Place to="/spawn" label="Spawn" icon={<Plus size={18} aria-hidden />} />
      <Place to="/catalog" label="Catalog" icon={<BookOpen size={18} aria-hidden />} />
      <Place to="/automations" label="Automations" icon={<Webhook size={18} aria-hidden />} isRare />
      <Place to="/usage" label="Usage" icon={<ChartColumnStacked size={18} aria-hidden />} isRare />
      <Place to="/runners" label="Runners" icon={<Server size={18} aria-hidden />} isRare />
      {canWriteCatalog(identity) && (
        <>
          <Place to="/tokens" label="Tokens" icon={<KeyRound size={18} aria-hidden />} isRare />
          <Place to="/audit" label="Audit" icon={<ScrollText size={18} aria-hidden />} isRare />
        </>
      )}
      <div className="lg:mt-auto">
        <Opener
          label="Help"
          keys="?"
          icon={<CircleQuestionMark size={18} aria-hidden />}
          onClick={() => onOpen('help')}
        />
        <AccountMenu identity={identity} />
      </div>
    </nav>
  )
}

/** For people who don't know the shortcut. Hidden on phones, which have no keys and no space. */
function Opener({
  label,
  keys,
  icon,
  onClick,
}: {
  readonly label: string
  readonly keys: string
  readonly icon: ReactNode
  readonly onClick: () => void
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex w-full items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm font-medium text-muted hover:bg-raised hover:text-ink max-lg:hidden"
    >
      {icon}
      {label}
      <kbd aria-hidden className="ml-auto text-xs font-normal">
        {keys}
      </kbd>
    </button>
  )
}

function Place({
  to,
  label,
  icon,
  isExact = false,
  isRare = false,
  children,
}: {
  readonly to:
    '/' | '/inbox' | '/spawn' | '/catalog' | '/automations' | '/usage' | '/runners' | '/tokens' | '/audit'
  readonly label: string
  readonly icon: ReactNode
  readonly isExact?: boolean
  /** A phone has space for the everyday pages only. The account menu has the rest. */
  readonly isRare?: boolean
  readonly children?: ReactNode
}) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: isExact, includeSearch: false }}
      className={classNames(
        'flex items-center rounded-md font-medium text-muted hover:text-ink lg:hover:bg-raised',
        'max-lg:flex-1 max-lg:flex-col max-lg:justify-center max-lg:gap-0.5 max-lg:py-2 max-lg:text-[0.7rem]',
        'lg:gap-2.5 lg:px-2.5 lg:py-1.5 lg:text-sm',
        isRare && 'max-lg:hidden',
      )}
      activeProps={{ className: 'text-accent-text! lg:bg-accent-soft' }}
    >
      <span className="relative">{icon}</span>
      <span>{label}</span>
      {children}
    </Link>
  )
}
