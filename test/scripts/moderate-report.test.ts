/** `bun run moderate report`: what a club publishes about a year. */
import { expect, test } from 'bun:test'
import { eraseUser } from '../../src/fan/account/erase-user.ts'
import { decide } from '../../src/fan/moderation/cases.ts'
import { fileAutomaticReport } from '../../src/fan/moderation/reports.ts'
import { decideAppeal } from '../../src/identity/sanctions/appeals.ts'
import { reportYear } from '../../src/operate/admin/moderation-report.ts'
import { namedFan } from '../identity/relations/relations-world.ts'
import { expectStatus } from '../play/packs/packs-world.ts'
import { overrideSettings } from '../support/settings.ts'
import { onEachEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

const MINUTE = 60_000

onEachEngine(
  'The report of a year',
  world => {
    const moderate = (...parameters: string[]) =>
      runScript('moderate', parameters, { env: { DATABASE_URL: world.databaseUrl ?? '' } })
    const year = () => world.clock.now().getUTCFullYear()

    test('counts decisions, reports and appeals of a year', async () => {
      const [reporter, spammer] = [await namedFan(world), await namedFan(world)]
      const [filtered, erased, quiet] = [await namedFan(world), await namedFan(world), await namedFan(world)]
      const flagged = await namedFan(world)
      const report = async (handle: string) => {
        const subject = { kind: 'fan', id: handle }
        return expectStatus(201, await reporter.post('/api/reports', { subject, reason: 'spam' })).id
      }
      const first = await report(spammer.handle)
      await report(erased.handle)
      await world.db.write(tx => fileAutomaticReport(tx, filtered.id, ['word']))
      await world.db.write(tx => fileAutomaticReport(tx, flagged.id, ['word']))
      world.clock.advance(MINUTE)
      const [ana, bruno] = [{ decidedBy: 'Ana' }, { decidedBy: 'Bruno' }]
      const spam = { ...ana, reason: 'spam' } as const
      const sanction = await world.db.write(tx => decide(tx, first, { ...spam, kind: 'mute' }))
      world.clock.advance(2 * MINUTE)
      await world.db.write(tx => decide(tx, filtered.id, { ...ana, reason: 'other', kind: 'dismiss' }))
      await world.db.write(tx => decide(tx, quiet.id, { ...spam, kind: 'mute' }))
      await world.db.write(tx => decide(tx, quiet.id, { ...spam, kind: 'note' }))
      const hate = { ...ana, reason: 'hate', facts: 'A slur in the bio.' } as const
      await world.db.write(tx => decide(tx, flagged.id, { ...hate, kind: 'hide' }))
      await world.db.write(tx => eraseUser(tx, { id: erased.id }))
      // The facts are deleted, and the count stays.
      await world.db.write(tx => eraseUser(tx, { id: flagged.id }))
      await report(quiet.handle)
      const appeal = { sanctionId: sanction.id, text: 'I only quoted.' }
      expectStatus(201, await spammer.post('/api/user/appeals', appeal))
      const { appeals } = world.db.tables
      const [{ id: appealId } = { id: '' }] = await world.db.read.select().from(appeals)
      world.clock.advance(4 * MINUTE)
      await world.db.write(tx => decideAppeal(tx, appealId, { ...bruno, reason: 'other', granted: true }))

      const counted = await reportYear(world.db.read, year())
      expect(counted).toEqual({
        ...{ year: year(), timeZone: 'UTC', from: `${year()}-01-01T00:00:00.000Z` },
        to: `${year() + 1}-01-01T00:00:00.000Z`,
        decisions: [
          {
            ...{ reason: 'spam', kind: 'mute', decisions: 2, automated: 0 },
            found: { fans: 1, text_filter: 0, notices: 0, staff: 1 },
          },
          {
            ...{ reason: 'hate', kind: 'hide', decisions: 1, automated: 1 },
            found: { fans: 0, text_filter: 1, notices: 0, staff: 0 },
          },
          {
            ...{ reason: 'other', kind: 'dismiss', decisions: 1, automated: 0 },
            found: { fans: 0, text_filter: 1, notices: 0, staff: 0 },
          },
        ],
        reports: {
          ...{ filed: 5, ofTextFilter: 2, upheld: 2, dismissed: 1, ended: 1, open: 1 },
          medianSeconds: 3 * 60,
        },
        appeals: { filed: 1, granted: 1, rejected: 0, open: 0, medianSeconds: 4 * 60 },
        notices: {
          ...{ filed: 0, merged: 0, categories: [], actedOn: 0, refused: 0, ended: 0, open: 0 },
          medianSeconds: null,
        },
      })
      const other = await reportYear(world.db.read, year() - 1)
      expect(other).toMatchObject({ decisions: [], reports: { filed: 0, medianSeconds: null } })
      if (world.databaseUrl === null) return
      const printed = await moderate('report', '--year', `${year()}`)
      expect([printed.code, printed.err]).toEqual([0, ''])
      expect(printed.out).toContain(
        'spam            mute      2      1        0          0          1         0',
      )
      expect(printed.out).toContain(
        'hate            hide      1      0        1          0          0         1',
      )
      expect(printed.out).not.toContain(spammer.handle)
      const { out } = await moderate('report', '--year', `${year()}`, '--json')
      expect(JSON.parse(out)).toEqual(counted)
    })

    test('begins and ends in the time zone of the club', async () => {
      overrideSettings(world.db, { timeZone: 'Pacific/Auckland' })
      const { from, to } = await reportYear(world.db.read, 2026)
      expect([from, to]).toEqual(['2025-12-31T11:00:00.000Z', '2026-12-31T11:00:00.000Z'])
    })

    test.each([
      ['without a year', ['report']],
      ['of no year', ['report', '--year', '26']],
      ['of a fan', ['report', 'ana', '--year', '2026']],
    ])('%s is refused', async (_, parameters) => {
      expect((await moderate(...parameters)).code).toBe(2)
    })
  },
  { worldPer: 'test' },
)
