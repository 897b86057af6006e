import { useSyncExternalStore } from 'react'

const STORED = 'skein.notifications'
const listeners = new Set<() => void>()

/** Whether the user wants notifications and the browser allows them. */
function areOn(): boolean {
  return (
    'Notification' in window &&
    Notification.permission === 'granted' &&
    window.localStorage.getItem(STORED) === 'on'
  )
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // Another tab may have changed it.
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

export function useNotificationSetting(): boolean {
  return useSyncExternalStore(subscribe, areOn)
}

/** Asks the browser for permission if needed. Rejects if it does not give it. */
export async function switchNotifications(on: boolean): Promise<void> {
  if (on) {
    const permission = 'Notification' in window ? await Notification.requestPermission() : 'denied'
    if (permission !== 'granted')
      throw new Error('Your browser does not allow notifications. Allow them in its settings for this site.')
  }
  window.localStorage.setItem(STORED, on ? 'on' : 'off')
  for (const notify of listeners) notify()
}
