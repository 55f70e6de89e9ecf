/** A small part of `bun run test:serializable` in each run of the suite. */
import { expect, test } from 'bun:test'
import { noServer } from '../support/engines.ts'
import { root } from '../support/executable.ts'

test.skipIf(noServer !== '')(
  `verbs are right on a database that is SERIALIZABLE and fails one statement in twenty (PostgreSQL)${noServer}`,
  async () => {
    const child = Bun.spawn(
      [process.execPath, 'run', 'test:serializable', './test/db/conflicting-verbs.ts'],
      {
        cwd: root,
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    expect(await child.exited, out + err).toBe(0)
    expect(err).toContain(' 0 fail')
  },
)
