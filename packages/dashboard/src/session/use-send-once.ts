import { useState } from 'react'
import { makeSendOnce, type SendOnce } from './send-once.ts'

/** For a form whose request must not be carried out twice when somebody clicks again after a lost answer. */
export function useSendOnce(): SendOnce {
  const [sendOnce] = useState(() => makeSendOnce())
  return sendOnce
}
