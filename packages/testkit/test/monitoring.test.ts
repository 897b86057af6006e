import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { OPERATIONS } from '@skein/contract'
import { SERVER_METRICS } from '@skein/server'
import { Ajv, type ValidateFunction } from 'ajv'
import { describe, expect, test } from 'vitest'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const MONITORING = join(ROOT, 'deploy/monitoring')

interface Rule {
  readonly kind: string
  readonly name: string
  readonly text: string
}

interface Panel {
  readonly id: number
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
}

/** The rules of a file, as written: prettier keeps their form. */
async function rulesOf(fileName: string): Promise<Rule[]> {
  const text = await readFile(join(MONITORING, fileName), 'utf8')
  const rules = text.split(/^ +- (?=alert: |record: )/m).slice(1)
  return rules.map((rule) => {
    const [, kind = '', name = ''] = /^(\w+): (\S+)/.exec(rule) ?? []
    return { kind, name, text: rule }
  })
}

const runbookOf = ({ text }: Rule) => /runbook_url: \S+\/docs\/runbooks\/(\S+)/.exec(text)?.[1] ?? ''

/** Metrics named in an expression, without the suffixes of histograms. Recorded ones have colons. */
function metricsIn(expression: string): string[] {
  const names = expression.match(/\bskein[a-z0-9_:]+/g) ?? []
  return names.map((name) => name.replace(/_(?:bucket|count|sum)$/, ''))
}

/** What servers and runners serve: docs/metrics.md is generated from the tables that they create them from. */
async function knownMetrics(): Promise<ReadonlySet<string>> {
  const page = await readFile(join(ROOT, 'docs/metrics.md'), 'utf8')
  const recorded = (await rulesOf('rules.yaml')).map(({ name }) => name)
  return new Set([...(page.match(/\bskein_[a-z0-9_]+/g) ?? []), ...recorded])
}

async function hasPromtool(): Promise<boolean> {
  return run('promtool', ['--version']).then(
    () => true,
    () => false,
  )
}

async function compileDashboardSchema(): Promise<ValidateFunction> {
  const schema = await readFile(join(MONITORING, 'dashboard.schema.json'), 'utf8')
  return new Ajv({ strict: true, allowUnionTypes: true }).compile(JSON.parse(schema) as object)
}

const promtool = (...args: readonly string[]) => run('promtool', args, { cwd: MONITORING })

describe('each alert', () => {
  test('has its runbook, and each runbook its alert', async () => {
    const alerts = await rulesOf('alerts.yaml')
    const pages = (await readdir(join(ROOT, 'docs/runbooks'))).filter((name) => name !== 'README.md')
    expect(alerts.map(runbookOf).toSorted()).toEqual(pages.toSorted())
    for (const alert of alerts) {
      const page = await readFile(join(ROOT, 'docs/runbooks', runbookOf(alert)), 'utf8')
      expect(page).toContain(`Alert: \`${alert.name}\``)
    }
  })

  test('has a severity, a summary and a test that it fires and clears', async () => {
    const alerts = await rulesOf('alerts.yaml')
    const files = (await readdir(MONITORING)).filter((name) => name.endsWith('.test.yaml'))
    const tests = await Promise.all(files.map((name) => readFile(join(MONITORING, name), 'utf8')))
    const tested = tests.flatMap((text) =>
      [...text.matchAll(/^ +- name: (\w+)$/gm)].map(([, name = '']) => name),
    )
    expect(tested.toSorted()).toEqual(alerts.map(({ name }) => name).toSorted())
    for (const { text } of alerts) {
      expect(text).toMatch(/severity: (?:page|ticket)\n/)
      expect(text).toMatch(/summary: \S+/)
    }
  })

  test('and each rule and runbook names only metrics that exist', async () => {
    const known = await knownMetrics()
    expect(known).toContain(SERVER_METRICS.queued.name)
    const rules = [...(await rulesOf('alerts.yaml')), ...(await rulesOf('rules.yaml'))]
    const pages = await readdir(join(ROOT, 'docs/runbooks'))
    const queries = await Promise.all(
      pages.map(async (page) => {
        const text = await readFile(join(ROOT, 'docs/runbooks', page), 'utf8')
        return /```promql\n(.*?)```/s.exec(text)?.[1] ?? ''
      }),
    )
    const named = [...rules.map(({ text }) => text), ...queries].flatMap(metricsIn)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })
})

describe('each dashboard', () => {
  const FOLDER = join(MONITORING, 'dashboards')
  const compiling = compileDashboardSchema()

  test('is one to Grafana’s own types', async () => {
    const check = await compiling
    for (const fileName of await readdir(FOLDER)) {
      check(JSON.parse(await readFile(join(FOLDER, fileName), 'utf8')))
      expect(check.errors).toBeNull()
    }
  })

  test.each([
    ['a field that Grafana does not know', (text: string) => text.replace('"legendFormat"', '"legend"')],
    ['a panel type of ours', (text: string) => text.replace('"type": "stat"', '"type": "number"')],
    ['an option that does not exist', (text: string) => text.replace('"area"', '"volume"')],
    ['a text in place of a number', (text: string) => text.replace('"w": 24', '"w": "24"')],
    ['no version', (text: string) => text.replace(/"schemaVersion": \d+,/, '')],
    ['a query without its source', (text: string) => text.replace('"expr"', '"expression"')],
  ])('is refused with %s', async (_what, spoil) => {
    const check = await compiling
    const text = await readFile(join(FOLDER, 'overview.json'), 'utf8')
    expect(spoil(text)).not.toBe(text)
    expect(check(JSON.parse(spoil(text)))).toBe(false)
  })

  test('names only metrics that exist', async () => {
    const known = await knownMetrics()
    for (const fileName of await readdir(FOLDER)) {
      const text = await readFile(join(FOLDER, fileName), 'utf8')
      const expressions = [...text.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, expr = '']) => expr)
      expect(expressions.length).toBeGreaterThan(5)
      expect(expressions.flatMap(metricsIn).filter((name) => !known.has(name))).toEqual([])
    }
  })

  test('has panels that lie beside each other, each with its own id', async () => {
    for (const fileName of await readdir(FOLDER)) {
      const { panels } = JSON.parse(await readFile(join(FOLDER, fileName), 'utf8')) as { panels: Panel[] }
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
        expect(x + w).toBeLessThanOrEqual(24)
        return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`)
      })
      expect(new Set(cells).size).toBe(cells.length)
    }
  })
})

test('the service level of commands is about all of them', async () => {
  const commands = OPERATIONS.filter(({ isMutation }) => isMutation).map(({ id }) => id)
  const rules = (await rulesOf('rules.yaml')).filter(({ name }) => name.startsWith('skein:command'))
  expect(rules.length).toBeGreaterThan(0)
  for (const { text } of rules) {
    const named = [...text.matchAll(/operation=~"([^"]+)"/g)].map(([, names = '']) => names.split('|'))
    for (const names of named) expect(names.toSorted()).toEqual(commands.toSorted())
  }
})

test('Prometheus accepts the rules', async ({ skip }) => {
  if (!(await hasPromtool())) skip('promtool is not installed')
  const { stdout } = await promtool('check', 'rules', 'rules.yaml', 'alerts.yaml')
  expect(stdout).not.toContain('FAILED')
})
