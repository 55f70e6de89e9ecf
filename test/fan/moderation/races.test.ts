/** Reports and decisions of several processes on one database. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { listCases } from '../../../src/fan/moderation/cases.ts'
import { listOpenAppeals } from '../../../src/identity/sanctions/appeals.ts'
import { listDecisions, recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { runScript } from '../../scripts/run-script.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { waitUntil } from '../../support/wait-until.ts'

for (const engine of engines) {
  describe(`Moderation by several processes (${engine.name})`, () => {
    const processes = useTwoProcesses(engine)
    const { call, fan } = processes
    const report = (n: number, token: string, handle: string) =>
      call(n, token, 'POST', '/api/reports', { subject: { kind: 'fan', id: handle }, reason: 'spam' })
    const moderate = (...parameters: string[]) =>
      runScript('moderate', parameters, { env: { DATABASE_URL: processes.url } })

    test('only one of several identical concurrent reports is filed', async () => {
      const [reporter, subject] = [await fan(1), await fan(2)]
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => report(n, reporter.token, subject.handle)),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201])
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
      const { read, tables } = processes.db
      expect(
        await read.select().from(tables.reports).where(eq(tables.reports.fanId, subject.id)),
      ).toHaveLength(1)
    })

    test('no write of a fan commits after the suspension has committed', async () => {
      for (let round = 0; round < 5; round++) {
        const { token, id } = await fan(10 + round)
        let writing = true
        let written = 0
        const write = async (n: number) => {
          while (writing) {
            const { status, body } = await call(n, token, 'PATCH', '/api/user/profile', {
              bio: `${++written}`,
            })
            if (status !== 200) return expect(body.code).toBe('suspended')
          }
        }
        const writers = [0, 1, 2, 3].map(write)
        await waitUntil('writes run', () => written >= 8)
        const until = new Date(Date.now() + 86_400_000)
        const decision = { fanId: id, kind: 'suspend', until, reason: 'spam', decidedBy: 'Ana' } as const
        await processes.db.write(tx => recordDecision(tx, decision))
        const { read, tables } = processes.db
        const bio = async () => {
          const [row] = await read
            .select({ bio: tables.users.bio })
            .from(tables.users)
            .where(eq(tables.users.id, id))
          return row?.bio
        }
        const atSuspension = await bio()
        const late = await Promise.all(
          [0, 1].map(n => call(n, token, 'PATCH', '/api/user/profile', { bio: 'late' })),
        )
        expect(late.map(({ body }) => body.code)).toEqual(['suspended', 'suspended'])
        writing = false
        await Promise.all(writers)
        expect(await bio()).toBe(atSuspension)
      }
    })

    test('only one of two moderators decides a case, and only one an appeal', async () => {
      const [reporter, subject] = [await fan(31), await fan(32)]
      await report(0, reporter.token, subject.handle)
      const cases = await listCases(processes.db.read, { limit: 100 })
      const { caseId = '' } = cases.find(({ fanId }) => fanId === subject.id) ?? {}
      const decisions = await Promise.all([
        moderate('decide', caseId, 'hide', '--reason', 'spam', '--by', 'Ana'),
        moderate('decide', caseId, 'mute', '--reason', 'spam', '--by', 'Ana'),
      ])
      expect(decisions.map(({ code }) => code).toSorted()).toEqual([0, 1])
      const refused = decisions.find(({ code }) => code === 1)
      expect(refused?.err).toContain('The case is not open')
      const [sanction, ...others] = await listDecisions(processes.db.read, subject.id)
      expect(others).toEqual([])

      const text = 'I sent no links.'
      await call(1, subject.token, 'POST', '/api/user/appeals', { sanctionId: sanction?.id, text })
      const [open] = await listOpenAppeals(processes.db.read, 100)
      const appealId = open?.appeal.id ?? ''
      const appeals = await Promise.all([
        moderate('decide', appealId, 'grant', '--reason', 'other', '--by', 'Bruno'),
        moderate('decide', appealId, 'reject', '--reason', 'other', '--by', 'Carla'),
      ])
      expect(appeals.map(({ code }) => code).toSorted()).toEqual([0, 1])
      expect(appeals.find(({ code }) => code === 1)?.err).toContain('The appeal is not open')
      expect(await listOpenAppeals(processes.db.read, 100)).toEqual([])
    })
  })
}
