/** Notices about the same content in two processes at the same time. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { decideNotice, MAX_OPEN } from '../../../src/fan/moderation/notices.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'

const SENT = 60

for (const engine of engines) {
  describe(`Notices sent to several processes (${engine.name})`, () => {
    const processes = useTwoProcesses(engine)

    const send = async (n: number, location: string) => {
      const notice = { category: 'hate', location, explanation: 'x', name: 'Ana', goodFaith: true }
      const { status, body } = await processes.call(n, '', 'POST', '/api/notices', {
        ...notice,
        email: `a${n}@example.com`,
      })
      expect(status).toBe(201)
      return body
    }
    const about = async (location: string) => {
      const { read, tables } = processes.db
      const rows = await read.select().from(tables.contentNotices)
      return rows.filter(row => row.location === location)
    }

    test.each(['a place in words', 'a fan'])(
      'keep 20 open ones about %s, and count each other one once',
      async of => {
        const { handle } = await processes.fan(of === 'a fan' ? 1 : 2)
        const location = of === 'a fan' ? `/fans/${handle}` : 'The feed'
        const answers = await Promise.all(Array.from({ length: SENT }, (_, n) => send(n, location)))
        const rows = await about(location)
        expect(rows.map(({ place }) => place).toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: MAX_OPEN }, (_, n) => n + 1),
        )
        const kept = answers.filter(({ merged }) => !merged)
        expect(new Set(kept.map(({ receipt }) => receipt))).toEqual(new Set(rows.map(({ id }) => id)))
        expect(kept).toHaveLength(MAX_OPEN)
        expect(rows.reduce((sum, { repeats }) => sum + repeats, 0)).toBe(SENT - MAX_OPEN)
      },
    )

    test('are all kept or counted while places become free', async () => {
      const location = 'The match'
      const first = await Promise.all(Array.from({ length: MAX_OPEN }, (_, n) => send(n, location)))
      const decision = { decidedBy: 'Ana', actionTaken: false, answer: 'No.' }
      const later = Promise.all(Array.from({ length: SENT }, (_, n) => send(n, location)))
      for (const { receipt } of first)
        await processes.db.write(tx => decideNotice(tx, String(receipt), decision))
      const answers = await later
      const rows = await about(location)
      const open = rows.filter(({ decidedAt }) => decidedAt === null)
      expect(open.length).toBeLessThanOrEqual(MAX_OPEN)
      expect(rows.length - MAX_OPEN).toBe(answers.filter(({ merged }) => !merged).length)
      expect(rows.reduce((sum, { repeats }) => sum + repeats, 0) + rows.length).toBe(SENT + MAX_OPEN)
      const { read, tables } = processes.db
      const one = await read
        .select()
        .from(tables.contentNotices)
        .where(eq(tables.contentNotices.id, String(first[0]?.receipt)))
      expect(one).toMatchObject([decision])
    })
  })
}
