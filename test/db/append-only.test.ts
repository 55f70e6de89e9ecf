/** TRUNCATE, which fires no trigger of rows, is refused for every append-only table. */
import { expect, test } from 'bun:test'
import { createClock } from '../support/clock.ts'
import { engines } from '../support/engines.ts'
import { APPEND_ONLY } from './append-only.ts'
import { withRawConnection } from './probe.ts'

test.each(engines.filter(({ name }) => name !== 'SQLite'))(
  'no append-only table can be emptied by TRUNCATE, which SQLite does not have ($name)',
  async engine => {
    const temporary = await engine.open(createClock())
    for (const table of APPEND_ONLY) {
      const refusal = await withRawConnection(temporary, run => run(`TRUNCATE ${table} CASCADE`)).then(
        () => 'it ran',
        (error: Error) => `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`,
      )
      expect(refusal).toContain(`${table} is append-only`)
    }
    await expect(withRawConnection(temporary, run => run('TRUNCATE users CASCADE'))).rejects.toThrow()
    await temporary.remove()
  },
)
