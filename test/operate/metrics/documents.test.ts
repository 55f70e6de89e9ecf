/** The documentation of the metrics, the alert rules and the dashboard name what the endpoint serves. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { defineMetrics } from '../../../src/operate/metrics/definitions.ts'
import { promtool, testWithPromtool } from './promtool.ts'

const docs = join(import.meta.dir, '../../../docs')
const read = (file: string) => Bun.file(join(docs, file)).text()
const alerts = await read('observability/alerts.yml')
const page = await read('observability.md')
const { registry } = defineMetrics()
const text = await registry.metrics()

/** The names of series that the endpoint serves. */
const served = new Set(
  [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map(suffix => `${name}${suffix}`) : [String(name)],
  ),
)
const namesIn = (document: string) => [...new Set(document.match(/\b(?:matchday|process)_[a-z0-9_]+/g))]

test('every metric of the alert rules exists', () => {
  const names = namesIn(alerts)
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter(name => !served.has(name))).toEqual([])
})

test('every metric of the dashboard exists, and every metric is on the dashboard', async () => {
  const dashboard = JSON.stringify(await Bun.file(join(docs, 'observability/dashboard.json')).json())
  const names = namesIn(dashboard)
  expect(names.filter(name => !served.has(name))).toEqual([])
  const shown = new Set(names.map(name => name.replace(/_(bucket|sum|count)$/, '')))
  const all = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => String(name))
  // Only an alert compares the two figures of file descriptors.
  expect(all.filter(name => !shown.has(name))).toEqual(['process_max_fds'])
})

test('the page lists every metric as it is defined', async () => {
  const documented = page.split('\n').filter(line => /^\| `(matchday|process)_/.test(line))
  const defined = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name, help, type]) => {
      const metric = registry.getSingleMetric(String(name))
      // Guarantee of the cast: every metric keeps the names of its labels, which its type does not declare.
      const { labelNames } = metric as unknown as { labelNames: string[] }
      const labels = labelNames.map(label => `\`${label}\``).join(', ')
      return `| \`${name}\` | ${type} | ${labels} | ${help} |`
    },
  )
  expect(documented).toEqual(defined)
})

test('the page explains every alert', () => {
  const rules = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => String(name))
  const explained = [...page.matchAll(/^\| `(Matchday\w+)` \|/gm)].map(([, name]) => String(name))
  expect(explained).toEqual(rules)
})

testWithPromtool('promtool accepts the alert rules', async () => {
  expect(await promtool(['check', 'rules', join(docs, 'observability/alerts.yml')])).toBe('')
})

testWithPromtool('alerts fire when they should, and not before', async () => {
  const files = ['alert-rules.yml', 'alert-rules-of-days.yml'].map(name => join(import.meta.dir, name))
  expect(await promtool(['test', 'rules', ...files])).toBe('')
})
