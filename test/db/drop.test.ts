/** Refusals of `dropDatabase` on PostgreSQL. The tests of `reset` check the deletion. */
import { describe, expect, test } from 'bun:test'
import { dropDatabase } from '../../db/drop.ts'
import { createClock } from '../support/clock.ts'
import { noServer, postgresEngine } from '../support/engines.ts'
import { teamExists, withRawConnection } from './probe.ts'

describe.skipIf(noServer !== '')(`A database in use (PostgreSQL)${noServer}`, () => {
  test('is not deleted while another role is connected, even if its sessions are only partly visible', async () => {
    const temporary = await postgresEngine.open(createClock())
    const address = new URL(temporary.url ?? '')
    const role = `${address.pathname.slice(1)}_other`
    await withRawConnection(temporary, run => run(`CREATE ROLE ${role} LOGIN PASSWORD 'other'`))
    address.username = role
    address.password = 'other'
    try {
      // Opens a connection of the server's own role.
      expect(await teamExists(temporary.db, 'none')).toBe(false)
      await expect(dropDatabase(address.href)).rejects.toMatchObject({ fault: 'busy' })
    } finally {
      await withRawConnection(temporary, run => run(`DROP ROLE ${role}`))
      await temporary.remove()
    }
  })
})
