import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepWhileVisible } from '../src/live/while-visible.ts'

class ScriptedPage extends EventTarget {
  hidden = false

  show(isShown: boolean): void {
    this.hidden = !isShown
    this.dispatchEvent(new Event('visibilitychange'))
  }
}

function follow(page = new ScriptedPage()) {
  const calls: string[] = []
  const network = new EventTarget()
  const stream = { start: () => void calls.push('start'), stop: () => void calls.push('stop') }
  return { page, network, calls, leave: keepWhileVisible(stream, { page, network }) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a page that is hidden for a while closes its stream, and reopens it when visible', () => {
  const { page, calls } = follow()
  page.show(false)
  vi.advanceTimersByTime(9_000)
  expect(calls).toEqual([])
  vi.advanceTimersByTime(2_000)
  expect(calls).toEqual(['stop'])
  page.show(true)
  expect(calls).toEqual(['stop', 'start'])
})

test('a look at another tab for a moment changes nothing', () => {
  const { page, calls } = follow()
  page.show(false)
  vi.advanceTimersByTime(5_000)
  page.show(true)
  vi.advanceTimersByTime(60_000)
  expect(calls).toEqual([])
})

test('a page that is opened out of sight keeps its stream no longer than others', () => {
  const page = new ScriptedPage()
  page.hidden = true
  const { calls } = follow(page)
  vi.advanceTimersByTime(11_000)
  expect(calls).toEqual(['stop'])
})

test('a network change reconnects, but not on a hidden page', () => {
  const { page, network, calls } = follow()
  network.dispatchEvent(new Event('offline'))
  expect(calls).toEqual(['stop', 'start'])
  page.show(false)
  vi.advanceTimersByTime(11_000)
  network.dispatchEvent(new Event('online'))
  expect(calls).toEqual(['stop', 'start', 'stop'])
})

test('after the end nothing is stopped or started', () => {
  const { page, network, calls, leave } = follow()
  page.show(false)
  leave()
  vi.advanceTimersByTime(60_000)
  page.show(true)
  network.dispatchEvent(new Event('online'))
  expect(calls).toEqual([])
})
