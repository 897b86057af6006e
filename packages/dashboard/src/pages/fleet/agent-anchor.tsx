import type { AgentId } from '@skein/client'
import { useRouter } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent } from 'react'
import { agentLink } from '../../format/agent-link.ts'
import { agentHref } from './agent-href.ts'

/**
 * A link to an agent's page. The router's own links each subscribe to its state, which is too slow for forty of them
 * changing with every scroll.
 */
export function AgentAnchor({
  agentId,
  children,
  ...rest
}: Omit<ComponentProps<'a'>, 'href'> & { readonly agentId: AgentId }) {
  const router = useRouter()
  const open = (event: MouseEvent): void => {
    const isForBrowser =
      event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0
    if (isForBrowser || event.defaultPrevented) return
    event.preventDefault()
    void router.navigate(agentLink(agentId))
  }
  return (
    <a {...rest} href={agentHref(agentId)} onClick={open}>
      {children}
    </a>
  )
}
