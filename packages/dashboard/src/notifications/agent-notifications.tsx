import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { agentLink } from '../format/agent-link.ts'
import { skein } from '../session/skein.ts'
import { useNotificationSetting } from './notification-setting.ts'
import { watchNews } from './watch-news.ts'

/** Tells the user in a notification of the browser what needs them, while they look at something else. */
export function AgentNotifications() {
  const isOn = useNotificationSetting()
  const router = useRouter()
  useEffect(() => {
    if (!isOn) return undefined
    const stop = new AbortController()
    void watchNews(skein, stop.signal, ({ key, agentId, title, text }) => {
      if (document.visibilityState === 'visible' && document.hasFocus()) return
      // The tag makes it one notification, however many tabs are open.
      const notification = new Notification(title, { body: text, tag: key, icon: '/skein.svg' })
      notification.addEventListener('click', () => {
        window.focus()
        void router.navigate(agentLink(agentId))
        notification.close()
      })
    })
    return () => stop.abort()
  }, [isOn, router])
  return null
}
