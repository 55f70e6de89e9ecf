/** `deploy/` agrees with itself, with the configuration, and with docs/deployment.md. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import product from '../../../package.json'
import { root } from '../../support/executable.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const dockerfile = read('deploy/Dockerfile')
const unit = read('deploy/matchday.service')

interface Container {
  image: string
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
}
interface Probe {
  httpGet: { path: string }
}
interface Resource {
  kind: string
  data?: Record<string, string>
  stringData?: Record<string, string>
  spec?: { template: { spec: { terminationGracePeriodSeconds?: number; containers: Container[] } } }
}
// Guarantee: a file of several documents; in another form the tests fail.
const resources = Bun.YAML.parse(read('deploy/kubernetes.yaml')) as Resource[]
const settings = Object.assign({}, ...resources.map(({ data, stringData }) => ({ ...data, ...stringData })))
const pods = resources.flatMap(({ spec }) => spec?.template?.spec ?? [])

test('every variable of the examples is in docs/configuration.md', () => {
  // Guarantee: in another form the test fails.
  const { 'x-environment': common, services } = Bun.YAML.parse(read('deploy/compose.yaml')) as {
    'x-environment': object
    services: Record<string, { environment: object }>
  }
  const postgres = Object.keys(services.postgres?.environment ?? {})
  const names = [
    ...Object.keys(settings),
    ...Object.keys(common),
    ...Object.values(services).flatMap(({ environment }) => Object.keys(environment)),
    ...[...dockerfile.matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) =>
      [...line.matchAll(/(\w+)=/g)].map(([, name = '']) => name),
    ),
  ].filter(name => !postgres.includes(name) && name !== '<<')
  expect(names.length).toBeGreaterThan(12)
  const page = read('docs/configuration.md')
  expect(names.filter(name => !page.includes(`\`${name}\``) && !page.includes(`${name}=`))).toEqual([])
})

test('the image is built with the Bun of this repository, and Kubernetes runs this version', () => {
  expect(dockerfile).toContain(`oven/bun:${product.packageManager.replace('bun@', '')}-`)
  const images = pods.flatMap(({ containers }) => containers.map(({ image }) => image))
  expect(images).toEqual(images.map(() => `registry.example.com/matchday:${product.version}`))
  expect(images).toHaveLength(2)
})

test('the changelog and the page of deployment name this version', () => {
  expect(read('docs/deployment.md')).toContain(`git checkout v${product.version} `)
  const [unreleased, newest] = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, title]) => title)
  expect(unreleased).toBe('[Unreleased]')
  expect(newest).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/)
  expect(newest).toStartWith(`[${product.version}] - `)
})

test('a stopping process has the time to drain', () => {
  const drainMs = Number(settings.DRAIN_GRACE_MS) + Number(settings.DRAIN_TIMEOUT_MS)
  const [seconds] = pods.flatMap(pod => pod.terminationGracePeriodSeconds ?? [])
  expect(Number(seconds) * 1_000).toBeGreaterThan(drainMs)
  // The defaults of production: 5 s and 10 s.
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(15)
})

test('Caddy closes idle connections before a stopping process does', () => {
  const [, seconds] = /^\t+keepalive (\d+)s$/m.exec(read('deploy/Caddyfile')) ?? []
  // The default of DRAIN_GRACE_MS in production is 5 s.
  expect(Number(seconds)).toBeLessThan(5)
})

test('probes ask the paths of the health checks', () => {
  const probes = pods.flatMap(({ containers }) =>
    containers.map(container =>
      (['startupProbe', 'livenessProbe', 'readinessProbe'] as const).map(
        name => container[name]?.httpGet.path,
      ),
    ),
  )
  expect(probes).toEqual([
    [undefined, undefined, undefined],
    ['/healthz', '/healthz', '/readyz'],
  ])
})

test('every file of deploy/ is explained in docs/deployment.md', () => {
  const page = read('docs/deployment.md')
  for (const file of readdirSync(join(root, 'deploy'))) expect(page).toContain(`](../deploy/${file})`)
})
