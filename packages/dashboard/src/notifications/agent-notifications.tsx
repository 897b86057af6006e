import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { skein } from '../session/skein.ts'
import { useNotificationSetting } from './notification-setting.ts'
import type { News } from './news.ts'
import { watchNews } from './watch-news.ts'
import { watchTenantNews } from './watch-tenant-news.ts'

/** Tells the user in a notification of the browser what needs them, while they look at something else. */
export function AgentNotifications() {
  const isOn = useNotificationSetting()
  const router = useRouter()
  useEffect(() => {
    if (!isOn) return undefined
    const stop = new AbortController()
    const show = ({ key, link, title, text }: News) => {
      if (document.visibilityState === 'visible' && document.hasFocus()) return
      // The tag makes it one notification, however many tabs are open.
      const notification = new Notification(title, { body: text, tag: key, icon: '/skein.svg' })
      notification.addEventListener('click', () => {
        window.focus()
        void router.navigate(link)
        notification.close()
      })
    }
    void watchNews(skein, stop.signal, show)
    void watchTenantNews(skein, stop.signal, show)
    return () => stop.abort()
  }, [isOn, router])
  return null
}
