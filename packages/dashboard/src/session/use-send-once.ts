import { useState } from 'react'
import { makeSendOnce, type SendOnce } from './send-once.ts'

/** For forms whose request must not be carried out twice if the user clicks again after a lost response. */
export function useSendOnce(): SendOnce {
  const [sendOnce] = useState(() => makeSendOnce())
  return sendOnce
}
