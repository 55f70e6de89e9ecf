/** The ports of the metrics. */
import { describe, expect, test } from 'bun:test'
import { portOfWorker } from '../../../src/app/workers.ts'
import { parseConfig } from '../../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'

const secrets = await makeDevelopmentSecrets()
const read = (env: Record<string, string>) => parseConfig({ ...secrets, ...env }).metrics

describe('METRICS_PORT', () => {
  test('without it there are no metrics', () => {
    expect(read({})).toBeNull()
  })

  test('the metrics listen on the loopback unless METRICS_HOST says otherwise', () => {
    expect(read({ METRICS_PORT: '9464' })).toEqual({ host: '127.0.0.1', port: 9464 })
    expect(read({ METRICS_PORT: '9464', METRICS_HOST: '10.0.0.7' })).toEqual({ host: '10.0.0.7', port: 9464 })
  })

  test.each([
    ['the port of the API', { METRICS_PORT: '3000' }, 'must differ from PORT'],
    ['a worker on the port of the API', { METRICS_PORT: '2999', WORKERS: '2' }, 'must differ from PORT'],
    ['a worker past the last port', { METRICS_PORT: '65535', WORKERS: '2' }, 'must be at most 65534'],
    ['no number', { METRICS_PORT: 'on' }, 'must be a whole number'],
  ])('refused: %s', (_, env, why) => {
    expect(() => read(env)).toThrow(`METRICS_PORT ${why}`)
  })

  test('workers have consecutive ports, or free ones', () => {
    expect([1, 2, 3].map(worker => portOfWorker(9464, worker))).toEqual([9464, 9465, 9466])
    expect(portOfWorker(9464)).toBe(9464)
    expect(portOfWorker(0, 3)).toBe(0)
  })
})
