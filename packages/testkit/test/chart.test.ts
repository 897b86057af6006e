import { describe, expect, test } from 'vitest'
import { findFaults, helm, render, type KubernetesObject } from './chart-objects.ts'

const minimal = ['--values', 'deploy/chart/ci/minimal.yaml'] as const
const everything = ['--values', 'deploy/chart/ci/everything.yaml'] as const

interface PodSpec {
  readonly automountServiceAccountToken: boolean
  readonly terminationGracePeriodSeconds?: number
  readonly securityContext: { readonly runAsNonRoot: boolean }
  readonly containers: readonly {
    readonly name: string
    readonly securityContext: unknown
    readonly env?: readonly { readonly name: string; readonly value?: string }[]
  }[]
}

/** The pod of a Pod, or the template's of a Deployment or Job. */
function podOf({ kind, spec }: KubernetesObject): PodSpec[] {
  if (kind === 'Pod') return [spec as PodSpec]
  const { template } = (spec ?? {}) as { template?: { spec: PodSpec } }
  return template ? [template.spec] : []
}

/** The pod with this container, and the values of its environment. */
function findPod(objects: readonly KubernetesObject[], container: string) {
  for (const pod of objects.flatMap(podOf)) {
    const found = pod.containers.find(({ name }) => name === container)
    const env = found?.env?.map(({ name, value }): [string, string] => [name, value ?? '(secret)'])
    if (found) return { ...pod, env: Object.fromEntries(env ?? []) }
  }
  throw new Error(`No container ${container}`)
}

interface EgressRule {
  readonly ports: readonly { readonly port: number }[]
  readonly to?: readonly {
    readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
  }[]
}

/** The rules by which pods of a component may leave the cluster. */
function outboundOf(objects: readonly KubernetesObject[], component: string): EgressRule[] {
  const policy = objects.find(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name.endsWith(`-${component}`),
  )
  if (!policy) throw new Error(`No policy for ${component}`)
  const { egress } = policy.spec as { egress: EgressRule[] }
  const isInside = ({ ports }: EgressRule) => ports.every(({ port }) => [53, 5432, 4318].includes(port))
  return egress.filter((rule) => !isInside(rule))
}

// npm has Helm only for this platform.
describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('the chart', () => {
  test.each(['minimal', 'everything', 'cnpg', 'runners'])(
    'with the values %s is what Kubernetes expects',
    async (name) => {
      const values = ['--values', `deploy/chart/ci/${name}.yaml`]
      await helm('lint', '--strict', 'deploy/chart', ...values)
      const objects = await render(...values)
      expect(objects.length).toBeGreaterThan(3)
      expect(findFaults(objects)).toEqual([])
    },
  )

  test.each([
    ['a field that Kubernetes does not know', 'maxSurge', 'maxSurges', 'maxSurges'],
    ['a value of the wrong type', '"replicas":2', '"replicas":"two"', '/spec/replicas must be integer'],
    ['a required field left out', '"containers":', '"container":', "required property 'containers'"],
    ['a kind of an old version', 'policy/v1', 'policy/v1beta1', 'no schema'],
  ])('is rejected with %s', async (_, right, wrong, fault) => {
    const text = JSON.stringify(await render(...minimal))
    const changed = text.replace(right, wrong)
    expect(changed).not.toBe(text)
    expect(findFaults(JSON.parse(changed) as KubernetesObject[]).join('\n')).toContain(fault)
  })

  test.each([
    ['a value that it does not have', 'server.replica=3', 'replica'],
    ['a value of the wrong type', 'server.replicas=two', 'replicas'],
    ['a database that it does not know', 'database.mode=mysql', 'mode'],
    ['no master key', 'masterKey.existingSecret=', 'masterKey.existingSecret'],
    ['a runner without a key', 'runner.enabled=true', 'runner.existingSecret'],
    ['a first tenant without an administrator', 'bootstrap.org=acme', 'bootstrap.account'],
    [
      'a budget that lets no node be drained',
      'server.podDisruptionBudget.maxUnavailable=0',
      'maxUnavailable',
    ],
    ['a pool that cannot exist', 'metrics.pools={a b}', 'pools'],
  ])('refuses %s', async (_, setting, named) => {
    await expect(render(...minimal, '--set', setting)).rejects.toThrow(named)
  })

  test('gives no container anything to write to, a capability, root or a token', async () => {
    const pods = (await render(...everything)).flatMap(podOf)
    expect(pods.flatMap(({ containers }) => containers.map(({ name }) => name)).toSorted()).toEqual([
      'automations',
      'bootstrap',
      'migrate',
      'runner',
      'server',
      'test',
    ])
    for (const { automountServiceAccountToken, securityContext, containers } of pods) {
      expect(automountServiceAccountToken).toBe(false)
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 })
      for (const container of containers)
        expect(container.securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
    }
  })

  test('gives programs longer to stop than they take', async () => {
    const times = { 'server.shutdownDelaySeconds': 40, 'server.shutdownGraceSeconds': 300 }
    const ofRunner = { 'runner.drainSeconds': 3600, 'runner.handBackSeconds': 120 }
    const settings = Object.entries({ ...times, ...ofRunner }).flatMap(([name, value]) => [
      '--set',
      `${name}=${value}`,
    ])
    const objects = await render(...everything, ...settings)
    const server = findPod(objects, 'server')
    expect(server.env).toMatchObject({ SKEIN_SHUTDOWN_DELAY_MS: '40000', SKEIN_SHUTDOWN_GRACE_MS: '300000' })
    expect(server.terminationGracePeriodSeconds).toBeGreaterThan(40 + 300)
    expect(findPod(objects, 'automations').terminationGracePeriodSeconds).toBeGreaterThan(40 + 300)
    const runner = findPod(objects, 'runner')
    expect(runner.env).toMatchObject({
      SKEIN_RUNNER_DRAIN_MS: '3600000',
      SKEIN_RUNNER_HAND_BACK_MS: '120000',
    })
    // The runner itself takes 3 seconds more.
    expect(runner.terminationGracePeriodSeconds).toBeGreaterThan(3600 + 120 + 3)
  })

  test('takes secrets only by name', async () => {
    const objects = await render(...everything)
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([])
    for (const container of ['server', 'automations', 'runner', 'migrate', 'bootstrap']) {
      const { env } = findPod(objects, container)
      const secrets = Object.entries(env).filter(([name]) =>
        /(?:KEY|TOKEN|PASSWORD|DATABASE_URL)$/.test(name),
      )
      expect(secrets.filter(([, value]) => value !== '(secret)')).toEqual([])
    }
  })

  test('refuses a setting that it sets itself or that is a secret', async () => {
    const objects = await render(...everything)
    const secrets = {
      server: ['SKEIN_MASTER_KEY_FILE', 'OTEL_EXPORTER_OTLP_HEADERS'],
      runner: ['SKEIN_API_KEY', 'AWS_SECRET_ACCESS_KEY'],
    }
    for (const program of ['server', 'runner'] as const) {
      const own = Object.keys(findPod(objects, program).env)
      const free = new Set(['SKEIN_LOG_LEVEL', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
      const names = [...own.filter((name) => !free.has(name)), ...secrets[program]]
      expect(names.length).toBeGreaterThan(8)
      for (const name of names)
        await expect(
          render(...everything, '--set-string', `${program}.env.${name}=x`),
          `${program}.env.${name}`,
        ).rejects.toThrow(`${program}.env`)
    }
  })

  test('passes numbers on as they were written', async () => {
    const settings = ['--set-json', 'server.env={"SKEIN_A":1000000,"SKEIN_B":0.5,"SKEIN_C":true}']
    const { env } = findPod(await render(...minimal, ...settings), 'server')
    expect(env).toMatchObject({ SKEIN_A: '1000000', SKEIN_B: '0.5', SKEIN_C: 'true' })
  })

  test('lets servers do automations, and call public addresses for that', async () => {
    const objects = await render(...minimal)
    expect(findPod(objects, 'server').env['SKEIN_ROLES']).toBe('api,automations')
    expect(objects.filter(({ metadata }) => metadata.name.endsWith('-automations'))).toEqual([])
    expect(outboundOf(objects, 'server')).toMatchObject([{ ports: [{ port: 443 }] }])
  })

  test('gives automations pods of their own, and only these may call foreign addresses', async () => {
    const objects = await render(...everything)
    expect(findPod(objects, 'server').env['SKEIN_ROLES']).toBe('api')
    const automations = findPod(objects, 'automations')
    expect(automations.env['SKEIN_ROLES']).toBe('automations')
    // Otherwise the same settings.
    expect({ ...automations.env, SKEIN_ROLES: 'api' }).toEqual(findPod(objects, 'server').env)
    expect(outboundOf(objects, 'server')).toEqual([])
    const [outbound, ...others] = outboundOf(objects, 'automations')
    expect(others).toEqual([])
    expect(outbound?.ports).toEqual([{ port: 443 }, { port: 8443 }])
    const blocks = outbound?.to?.map(({ ipBlock }) => ipBlock)
    expect(blocks?.map((block) => block?.cidr)).toEqual(['0.0.0.0/0', '2000::/3', '10.7.0.0/24'])
    expect(blocks?.[0]?.except).toContain('169.254.0.0/16')
    const kinds = objects.filter(({ metadata }) => metadata.name.endsWith('-automations'))
    expect(kinds.map(({ kind }) => kind).toSorted()).toEqual([
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PodMonitor',
    ])
  })

  test('lets servers without automations reach the named hosts of sign-in, and no others', async () => {
    const settings = ['--set-json', 'networkPolicy.signInTo=[{"ipBlock":{"cidr":"203.0.113.0/24"}}]']
    expect(outboundOf(await render(...everything, ...settings), 'server')).toEqual([
      { ports: [{ port: 443 }, { port: 8443 }], to: [{ ipBlock: { cidr: '203.0.113.0/24' } }] },
    ])
  })

  test('scales runners by series that the servers have', async () => {
    const objects = await render(...everything)
    const scaled = objects.find(({ kind }) => kind === 'ScaledObject')
    const query = JSON.stringify(scaled?.spec)
    const [, pools = ''] = /pool=~\\+"([^\\]+)/.exec(query) ?? []
    expect(pools.split('|')).toEqual(['default', 'large'])
    expect(findPod(objects, 'server').env['SKEIN_METRICS_POOLS']?.split(',')).toEqual(pools.split('|'))
    expect(findPod(objects, 'runner').env['SKEIN_RUNNER_POOLS']).toBe('default,large')
  })

  test('has runners without servers, if it is told where the service is', async () => {
    const values = ['--values', 'deploy/chart/ci/runners.yaml']
    const kinds = (await render(...values)).map(({ kind }) => kind).toSorted()
    expect(kinds).toEqual(['Deployment', 'NetworkPolicy', 'PodMonitor', 'ServiceAccount'])
    await expect(render(...values, '--set', 'runner.url=')).rejects.toThrow('runner.url')
  })

  test('accepts a digest instead of a tag', async () => {
    const digest = `sha256:${'a'.repeat(64)}`
    const objects = await render(...minimal, '--set', `server.image.tag=${digest}`)
    expect(JSON.stringify(objects)).toContain(`"image":"localhost/skein-server@${digest}"`)
  })
})
