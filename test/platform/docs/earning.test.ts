/** The turnstile in TypeScript of docs/earning.md, run as it stands there. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'

const page = await Bun.file(`${import.meta.dir}/../../../docs/earning.md`).text()
const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []

onEngine(sqliteEngine, 'The turnstile of docs/earning.md', world => {
  test('reports each scan once, also when its first request fails', async () => {
    // The program has the real clock.
    world.clock.ms = Date.now()
    let requests = 0
    const api = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        requests++
        const response = await world.app.handle(request)
        // The first response is lost after the events were recorded.
        return requests === 1 ? new Response(null, { status: 502 }) : response
      },
    })
    const folder = mkdtempSync(join(tmpdir(), 'matchday-turnstile-'))
    const file = join(folder, 'turnstile.ts')
    const scans = `\nfor (let nth = 0; nth < 150; nth++) onScan({ id: \`t-\${nth}\`, holder: \`fan-\${nth % 9}\` })\n`
    const adapted = program
      .replace('https://api.example.com', api.url.origin)
      .replace("'auth0'", JSON.stringify(world.config.identity.name))
      .replace('1_000)', '20)')
    writeFileSync(file, adapted + scans)
    const key = await world.serverKey(['events:write'], { source: 'turnstiles' })
    const turnstile = Bun.spawn([process.execPath, file], {
      env: { PATH: process.env.PATH ?? '', MATCHDAY_KEY: key },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    try {
      const { events } = world.db.tables
      const recorded = async () => (await world.db.read.select().from(events)).length
      await waitUntil('every scan is recorded', async () => (await recorded()) === 150)
      // One request lost, and one for each hundred.
      await waitUntil('the lost request is repeated', () => requests >= 3)
      expect(await recorded()).toBe(150)
    } finally {
      turnstile.kill()
      await turnstile.exited
      await api.stop(true)
      rmSync(folder, { recursive: true })
    }
    expect(await new Response(turnstile.stderr).text()).toBe('')
  })
})
