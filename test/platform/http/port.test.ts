/** The port is open while the application is composed: probes of liveness are answered, all other requests wait. */
import { expect, test } from 'bun:test'
import { openPort } from '../../../src/app/port.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { turns } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'

onEngine(sqliteEngine, 'A port that is opened early', world => {
  const open = () => openPort({ ...world.config, host: '127.0.0.1', port: 0 }, { shared: false })

  test('answers /healthz as the application does', async () => {
    const port = open()
    const ask = async () => {
      const response = await fetch(`http://127.0.0.1:${port.port}/healthz`)
      const { date, 'x-request-id': id, ...headers } = response.headers.toJSON()
      expect([date, id]).toEqual([expect.any(String), expect.stringMatching(/^[\da-f-]{36}$/)])
      return { status: response.status, headers, body: await response.text() }
    }
    const early = await ask()
    const server = port.serve(world.app.fetch)
    try {
      expect(early).toEqual(await ask())
      expect(early).toMatchObject({ status: 200, body: '{"status":"ok"}' })
    } finally {
      await server.stop(true)
    }
  })

  test('keeps every other request until the application is there, and loses none', async () => {
    const port = open()
    const settled: string[] = []
    const ask = async (method: string, path: string, headers = {}) => {
      const response = await fetch(`http://127.0.0.1:${port.port}${path}`, { method, headers })
      settled.push(`${method} ${path} ${response.status}`)
      return response
    }
    const waiting = [
      ask('GET', '/readyz'),
      ask('GET', '/healthz', { 'x-request-id': 'of-the-client' }),
      ask('POST', '/healthz'),
      ask('GET', '/api/rewards'),
      ask('POST', '/api/rewards/claim'),
    ]
    await ask('GET', '/healthz')
    await turns(20)
    expect(settled).toEqual(['GET /healthz 200'])
    const server = port.serve(world.app.fetch)
    try {
      const responses = await Promise.all(waiting)
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 405, 401, 401])
      expect(responses[1]?.headers.get('x-request-id')).toBe('of-the-client')
    } finally {
      await server.stop(true)
    }
  })

  test('is refused where another process listens', async () => {
    const port = open()
    try {
      expect(() =>
        openPort({ ...world.config, host: '127.0.0.1', port: port.port ?? 0 }, { shared: false }),
      ).toThrow(expect.objectContaining({ code: 'EADDRINUSE' }))
    } finally {
      await port.serve(world.app.fetch).stop(true)
    }
  })
})
