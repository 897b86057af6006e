import type { AgentId } from '@skein/client'
import { useRouter } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent } from 'react'
import { agentLink } from '../../format/agent-link.ts'
import { agentHref } from './agent-href.ts'

/**
 * A link to an agent's page. The router's own links each follow the router's state, which is too much for forty that
 * come and go with every turn of the wheel.
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
