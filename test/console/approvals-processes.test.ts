/** Approvals with two processes of the console: limits and decisions are those of the database. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { and, eq, isNull } from 'drizzle-orm'
import { DomainError } from '../../src/core/problems.ts'
import { linkIdOf } from '../../src/core/staff-ids.ts'
import { claimApproval, finishApproval, MAX_WAITING } from '../../src/identity/staff/approvals/approvals.ts'
import { INTERRUPTED_AFTER_MS } from '../../src/identity/staff/approvals/state.ts'
import { createSession } from '../../src/identity/staff/sessions/sessions.ts'
import { endSessionsOf } from '../../src/identity/staff/sessions/staff-sessions.ts'
import { OPERATOR } from '../../src/identity/staff/staff.ts'
import { engines } from '../support/engines.ts'
import { commandOf } from '../support/executable.ts'
import { readLines } from '../support/read-lines.ts'
import { onEngine } from '../support/world.ts'

for (const engine of engines)
  onEngine(engine, 'Approvals in two processes', world => {
    let processes: Awaited<ReturnType<typeof startProcess>>[]
    beforeAll(async () => {
      processes = await Promise.all([startProcess(), startProcess()])
    })
    afterAll(async () => {
      expect(await Promise.all(processes.map(({ end }) => end()))).toEqual([0, 0])
    })

    async function startProcess() {
      const child = Bun.spawn([...commandOf('test/console/approving-process.ts'), world.databaseUrl ?? ''], {
        cwd: `${import.meta.dir}/../..`,
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const lines = readLines(child.stdout)[Symbol.asyncIterator]()
      async function readLine(): Promise<string> {
        const { done, value } = await lines.next()
        if (done) throw new Error(await new Response(child.stderr).text())
        return value
      }
      expect(await readLine()).toBe('ready')
      return {
        async run(line: string): Promise<number> {
          child.stdin.write(`${line}\n`)
          await child.stdin.flush()
          return Number(await readLine())
        },
        async kill(): Promise<number> {
          child.kill('SIGKILL')
          return child.exited
        },
        async end(): Promise<number> {
          await child.stdin.end()
          return child.exited
        },
      }
    }
    const everywhere = (line: string) => Promise.all(processes.map(({ run }) => run(line)))
    const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)
    const signIn = async (name: string) =>
      (await world.db.write(tx => createSession(tx, { id: linkIdOf(name), name, role: 'finance' }))).id
    const openOf = (name: string) => {
      const { consoleApprovals } = world.db.tables
      const isTheirs = eq(consoleApprovals.requestedById, linkIdOf(name))
      return world.db.read
        .select({ id: consoleApprovals.id })
        .from(consoleApprovals)
        .where(and(isTheirs, isNull(consoleApprovals.decision)))
    }

    test('a person can have at most 20 that wait, also in several sessions', async () => {
      const [one, other] = [await signIn('Busy'), await signIn('Busy')]
      const kept = await Promise.all([
        processes[0]?.run(`ask ${one} Busy 15`),
        processes[1]?.run(`ask ${other} Busy 15`),
      ])
      expect(sum(kept.map(Number))).toBe(MAX_WAITING)
      expect(await openOf('Busy')).toHaveLength(MAX_WAITING)
    })

    test('each is confirmed once', async () => {
      const session = await signIn('Ada')
      await processes[0]?.run(`ask ${session} Ada 12`)
      const ids = (await openOf('Ada')).map(({ id }) => id)
      expect(ids).toHaveLength(12)
      const [line, other] = [`claim Grace ${ids.join(',')}`, `claim Mary ${ids.toReversed().join(',')}`]
      const confirmed = await Promise.all([processes[0]?.run(line), processes[1]?.run(other)])
      expect(sum(confirmed.map(Number))).toBe(12)
    })

    test('a confirmed action whose process is killed between its steps waits again after a minute', async () => {
      const session = await signIn('Lin')
      const victim = await startProcess()
      await victim.run(`ask ${session} Lin 1`)
      const [{ id } = { id: '' }] = await openOf('Lin')
      expect(await victim.run(`begin Grace ${id}`)).toBe(1)
      expect(await victim.kill()).not.toBe(0)
      const mary = { id: linkIdOf('Mary'), name: 'Mary', role: 'finance' } as const
      const again = () =>
        world.db
          .write(tx => claimApproval(tx, id, mary, { inSteps: true }))
          .then(
            () => 'claimed',
            (error: unknown) => (error instanceof DomainError ? error.code : error),
          )
      // Other processes have the time of the machine.
      world.clock.advance(Date.now() - world.clock.ms)
      expect(await again()).toBe('approval_closed')
      world.clock.advance(INTERRUPTED_AFTER_MS)
      expect(await again()).toBe('claimed')
      expect(await again()).toBe('approval_closed')
      await world.db.write(tx => finishApproval(tx, id))
      world.clock.advance(INTERRUPTED_AFTER_MS)
      expect(await again()).toBe('approval_closed')
    })

    test('none is left for a person whose sessions end at the same time', async () => {
      for (let round = 0; round < 4; round++) {
        const name = `Leaver${round}`
        const session = await signIn(name)
        await Promise.all([
          everywhere(`ask ${session} ${name} 6`),
          world.db.write(tx => endSessionsOf(tx, linkIdOf(name), OPERATOR)),
        ])
        expect(await openOf(name)).toEqual([])
      }
    })
  })
