/** The port of the console. */
import { expect, test } from 'bun:test'
import { PortTaken, serveConsole } from '../../src/operate/console/server.ts'
import type { ConsoleConfig } from '../../src/platform/config/console.ts'
import { onEachEngine } from '../support/world.ts'

onEachEngine('the server of the console', world => {
  function serveAt(address: Pick<ConsoleConfig, 'host' | 'port'>) {
    const { console } = world.config
    if (!console) throw new Error('the console is on in tests')
    return serveConsole({ ...world.deps, config: { ...world.config, console: { ...console, ...address } } })
  }

  test('does not share its port with another instance, which may have another database', async () => {
    const host = '127.0.0.1'
    const first = serveAt({ host, port: 0 })
    try {
      expect(() => serveAt({ host, port: Number(new URL(first.url ?? '').port) })).toThrow(PortTaken)
    } finally {
      await first.stop()
    }
  })

  test('names the setting of an address that this machine does not have', () => {
    expect(() => serveAt({ host: '203.0.113.7', port: 0 })).toThrow('CONSOLE_HOST')
  })
})
