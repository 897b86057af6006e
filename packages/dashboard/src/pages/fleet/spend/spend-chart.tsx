import type { HourOfSpend } from '@skein/client'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

const BAR_WIDTH: uPlot.Series.BarsPathBuilderOpts = { size: [0.7, 24], radius: 0.2 }

/** Bars per hour. The card describes the same in words. */
export default function SpendChart({ spend }: { readonly spend: readonly HourOfSpend[] }) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | undefined>(undefined)

  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const plot = new uPlot(makeOptions(element), [[], []], element)
    chart.current = plot
    const sizes = new ResizeObserver(() => plot.setSize(sizeOf(element)))
    sizes.observe(element)
    // A canvas doesn't follow a colour change by itself.
    const redraw = (): void => plot.redraw(false)
    const theme = new MutationObserver(redraw)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const scheme = window.matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', redraw)
    return () => {
      sizes.disconnect()
      theme.disconnect()
      scheme.removeEventListener('change', redraw)
      plot.destroy()
    }
  }, [])

  useEffect(() => {
    chart.current?.setData([spend.map(({ time }) => Date.parse(time) / 1000), spend.map(({ cost }) => cost)])
  }, [spend])

  return <div ref={box} className="size-full text-accent-text" />
}

function makeOptions(element: HTMLElement): uPlot.Options {
  const readColour = (): string => getComputedStyle(element).color
  const paths = uPlot.paths.bars?.(BAR_WIDTH)
  return {
    ...sizeOf(element),
    legend: { show: false },
    cursor: { show: false },
    padding: [4, 0, 0, 0],
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max : 1] } },
    axes: [{ show: false }, { show: false }],
    series: [{}, { fill: readColour, width: 0, points: { show: false }, ...(paths && { paths }) }],
  }
}

function sizeOf(element: HTMLElement): { readonly width: number; readonly height: number } {
  return { width: element.clientWidth, height: element.clientHeight }
}
