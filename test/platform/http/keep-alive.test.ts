/** How long a connection stays open between two requests. */
import { expect, test } from 'bun:test'
import { createApp } from '../../../src/app/app.ts'
import { parseConfig } from '../../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'
import { listenOptions } from '../../../src/platform/http/edge/listen-options.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { rawRequest } from './raw-request.ts'

const secrets = await makeDevelopmentSecrets()
const idleTimeout = (env: Record<string, string> = {}) =>
  listenOptions(parseConfig({ ...secrets, ...env }), { shared: false }).idleTimeout

test('connections outlive the 60 s of load balancers by default, and KEEP_ALIVE_SECONDS sets another time', () => {
  expect(idleTimeout()).toBe(75)
  expect(idleTimeout({ KEEP_ALIVE_SECONDS: '255' })).toBe(255)
})

onEngine(sqliteEngine, 'keep-alive', world => {
  test('an idle connection is closed after its timeout, counted from the response', async () => {
    const network = { ...world.config.network, keepAliveSeconds: 1 }
    const app = createApp(world.deps).listen(
      listenOptions({ host: '127.0.0.1', port: 0, network }, { shared: false }),
    )
    try {
      // No `Connection: close`: the server ends the connection, or this waits until the test is late.
      const answer = await rawRequest(
        app.server?.port ?? 0,
        'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
      )
      expect(answer).toStartWith('HTTP/1.1 200 ')
      expect(answer).toEndWith('{"status":"ok"}')
    } finally {
      await app.server?.stop(true)
    }
  })
})
