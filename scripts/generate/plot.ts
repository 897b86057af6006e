/** A line plot as SVG. Readable on a light and on a dark page. */
export interface Plot {
  readonly title: string
  readonly x: { readonly label: string; readonly scale: Scale; readonly ticks: readonly number[] }
  readonly y: { readonly label: string; readonly scale: Scale }
  readonly series: readonly Series[]
}

type Scale = 'linear' | 'logarithmic'

interface Series {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

const WIDTH = 720
const HEIGHT = 360
const AREA = { left: 64, right: 600, top: 48, bottom: 304 }

/** Distinguishable for people who don't see all colours, on both backgrounds. */
const COLORS = ['#3b82c4', '#d9822b', '#2f9e6e', '#b0529b', '#8a7a2d', '#c4493b']

/** How far apart labels at the ends of lines have to be. */
const LABEL_HEIGHT = 15

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #57606a }
  .title { font-size: 14px; font-weight: 600; fill: #24292f }
  .grid { stroke: #d0d7de; stroke-width: 1 }
  .line { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 }
    .title { fill: #f0f6fc }
    .grid { stroke: #3d444d }
  }`

export function drawPlot({ title, x, y, series }: Plot): string {
  const yTicks = ticksFor(
    series.flatMap(({ points }) => points.map(([, value]) => value)),
    y.scale,
  )
  const [firstX = 1, lastX = 1] = [x.ticks[0], x.ticks.at(-1)]
  const [firstY = 0, lastY = 1] = [yTicks[0], yTicks.at(-1)]
  const xOf = placing(x.scale, [firstX, lastX], [AREA.left, AREA.right])
  const yOf = placing(y.scale, [firstY, lastY], [AREA.bottom, AREA.top])
  const labels = spreadOut(series.map(({ points }) => yOf(points.at(-1)?.[1] ?? firstY)))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(title)}">
<style>${STYLE}
</style>
${text(AREA.left, 24, title, 'class="title"')}
${yTicks.map((tick) => horizontal(yOf(tick), tick)).join('\n')}
${x.ticks.map((tick) => text(xOf(tick), AREA.bottom + 20, short(tick), 'text-anchor="middle"')).join('\n')}
${text((AREA.left + AREA.right) / 2, AREA.bottom + 42, x.label, 'text-anchor="middle"')}
${text(AREA.left - 52, AREA.top - 10, y.label)}
${series
  .map(({ name, points }, index) => {
    const color = COLORS[index % COLORS.length] ?? ''
    const path = points.map(([px, py]) => `${round(xOf(px))},${round(yOf(py))}`).join(' ')
    const dots = points.map(
      ([px, py]) => `<circle cx="${round(xOf(px))}" cy="${round(yOf(py))}" r="3" fill="${color}"/>`,
    )
    const label = text(AREA.right + 10, (labels[index] ?? 0) + 4, name, `style="fill:${color}"`)
    return [`<polyline class="line" stroke="${color}" points="${path}"/>`, ...dots, label].join('\n')
  })
  .join('\n')}
</svg>
`
}

function horizontal(at: number, tick: number): string {
  const line = `<line class="grid" x1="${AREA.left}" x2="${AREA.right}" y1="${round(at)}" y2="${round(at)}"/>`
  return `${line}\n${text(AREA.left - 8, at + 4, short(tick), 'text-anchor="end"')}`
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escape(content)}</text>`
}

/** Round values around all of these; from 0 on if linear. */
function ticksFor(values: readonly number[], scale: Scale): number[] {
  const most = Math.max(...values)
  if (scale === 'linear') {
    const step = niceStep(most / 4)
    return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
  }
  const least = Math.min(...values)
  const steps = [-1, 0, 1, 2, 3, 4, 5].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power))
  const first = steps.findLastIndex((step) => step <= least)
  const last = steps.findIndex((step) => step >= most)
  return steps.slice(Math.max(first, 0), last + 1)
}

function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return power * ([1, 2, 5, 10].find((digit) => digit * power >= least) ?? 10)
}

/** From values to places in the picture. */
function placing(
  scale: Scale,
  [from, to]: readonly [number, number],
  [start, end]: readonly [number, number],
): (value: number) => number {
  const by = scale === 'linear' ? (value: number) => value : Math.log
  return (value) => start + ((by(value) - by(from)) / (by(to) - by(from))) * (end - start)
}

/** Moves labels down until none covers another. */
function spreadOut(wanted: readonly number[]): number[] {
  const fromTheTop = wanted.map((at, index) => ({ at, index })).toSorted((one, other) => one.at - other.at)
  const placed = [...wanted]
  let free = -Infinity
  for (const { at, index } of fromTheTop) {
    const place = Math.max(at, free)
    placed[index] = place
    free = place + LABEL_HEIGHT
  }
  return placed
}

function short(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`
  return value >= 1000 ? `${value / 1000}k` : Number(value.toPrecision(3)).toString()
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
