/** Where the example app is served. */
import { expect, test } from 'bun:test'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

onEngine(sqliteEngine, 'The example app without DEMO_FOLDER, as in production', world => {
  test('is not at /demo', async () => {
    expect((await world.anonymous.get('/demo')).status).toBe(404)
  })
})
