/** The report of a campaign of codes, and the fans of a segment as a file. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { redeemCode } from '../../../src/play/codes/redeem.ts'
import { addFan, unique } from '../../economy/rules/rules-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { consoleOf } from '../support.ts'

onEachEngine('Reports of catalogue entries', world => {
  const staff = consoleOf(world)

  test('a campaign has its reach, what is left, and redemptions by day and by fan', async () => {
    const id = unique('campaign')
    const code = `REPORT-${id.replaceAll(/[^a-z0-9]/g, '')}`.slice(0, 40)
    const campaign = { id, name: 'Derby', kind: 'shared' as const, code, gives: { points: 5 } }
    await world.db.write(tx =>
      writeRecord(tx, { kind: 'campaign', entry: { ...campaign, perFan: 2, total: 10 } }),
    )
    const path = `/api/catalogue/campaign/entries/${id}/report`
    expect(await staff.as('owner').get(path)).toMatchObject({
      status: 200,
      body: { redeemed: 0, total: 10, left: 10, fans: 0, times: [], days: [] },
    })
    const [one, two] = [await addFan(world), await addFan(world)]
    for (const userId of [one, two, two]) {
      const caller = { userId, provider: 'mock-idp', subject: userId, isNew: false }
      await world.db.write(tx => redeemCode(tx, caller, { code }))
    }
    const { body } = await staff.as('owner').get(path)
    expect(body).toMatchObject({
      ...{ redeemed: 3, left: 7, fans: 2, generated: 0, unused: 0, voided: 0 },
      times: [
        { times: 1, fans: 1 },
        { times: 2, fans: 1 },
      ],
      days: [{ redemptions: 3, fans: 2 }],
    })
    expect(await staff.as('owner').get('/api/catalogue/campaign/entries/unknown/report')).toMatchObject({
      status: 404,
      body: { code: 'entry_not_found' },
    })
  })

  test('the fans of a segment are a file, and the export is in the audit log', async () => {
    const id = unique('segment')
    const userIds = [await addFan(world), await addFan(world)]
    const { users, consoleAudit } = world.db.tables
    for (const userId of userIds)
      await world.db.write(tx => tx.update(users).set({ locale: id }).where(eq(users.id, userId)))
    const when = [{ fact: 'locale', op: 'eq' as const, value: id }]
    await world.db.write(tx => writeRecord(tx, { kind: 'segment', entry: { id, name: 'Of a test', when } }))
    const path = `/api/catalogue/segment/entries/${id}/export`
    const reason = 'A letter to them.'
    const { status, body } = await staff.as('owner').post(path, { reason })
    expect(status).toBe(200)
    const [head, ...lines] = String(body).trimEnd().split('\r\n')
    expect(head).toBe('userId,provider,subject,handle')
    expect(lines.map(line => line.split(',')[0]).toSorted()).toEqual(userIds.toSorted())
    const log = await world.db.read.select().from(consoleAudit).where(eq(consoleAudit.subjectId, id))
    expect(log).toMatchObject([{ operation: 'exportSegment', reason }])
    expect(
      await staff.as('owner').post('/api/catalogue/segment/entries/unknown/export', { reason }),
    ).toMatchObject({ status: 404, body: { code: 'entry_not_found' } })
    expect((await staff.as('moderator').post(path, { reason })).status).toBe(403)
  })
})
