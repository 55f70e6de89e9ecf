/** Memberships from the file of a ticket office. */
import { beforeEach, expect, test } from 'bun:test'
import { indexEmails } from '../../../src/identity/users/emails.ts'
import { importMembershipsFile } from '../../../src/play/memberships/import-file.ts'
import { readDate } from '../../../src/play/memberships/read-file.ts'
import { deliver, updated } from '../../identity/users/deliveries.ts'
import { onEachEngine } from '../../support/world.ts'
import { patientFan } from '../packs/packs-world.ts'
import { userIdOf } from '../quests/quests-world.ts'
import { addMembershipKind, endMembership, ticketOffice } from './memberships-world.ts'

const HEADER = 'Ticket;kind;number;Name;email;subject;startsAt;endsAt;Block'

onEachEngine(
  'importMembershipsFile',
  world => {
    beforeEach(() => addMembershipKind(world))

    async function run(
      lines: (string | Buffer)[],
      options: {
        dryRun?: boolean
        skipInvalid?: boolean
        exclusive?: boolean
        map?: Record<string, string>
      } = {},
    ) {
      const bytes = Buffer.concat([HEADER, ...lines].flatMap(one => [Buffer.from(one), Buffer.from('\r\n')]))
      const file = {
        format: 'csv' as const,
        async *open() {
          yield bytes
        },
      }
      const said: string[] = []
      const tell = ({ line, faults }: { line: number; faults: { field: string; message: string }[] }) => {
        for (const { field, message } of faults) said.push(`${line} ${field} ${message}`)
      }
      const naming = { provider: world.config.identity.name, fanEmails: world.deps.fanEmails }
      const terms = { naming, timeZone: 'Europe/Lisbon' }
      const map = { Ticket: 'ref', Name: 'holder' }
      const counts = await importMembershipsFile(
        world.db,
        file,
        { ...terms, map, ...options, elapsed: () => performance.now() },
        {
          onChecked() {},
          onFaulty: tell,
          onNote: tell,
          onChanged({ line, members }) {
            for (const { member, from, to } of members) said.push(`${line} ${member} ${from} -> ${to}`)
          },
          onWritten() {},
        },
      )
      return { ...counts, said }
    }
    async function fanWithEmail(email: string, verified = true) {
      const fan = await patientFan(world)
      await fan.post('/api/user/profile', { displayName: 'Ada' })
      world.clock.advance(1_000)
      const claims = { email, email_verified: verified, updated_at: Math.floor(world.clock.ms / 1_000) }
      expect((await deliver(world, updated(world, fan.subject, claims))).status).toBe(204)
      await indexEmails(world.deps)
      return userIdOf(world, fan)
    }
    const stored = async () => {
      const { fanMemberships } = world.db.tables
      const rows = await world.db.read.select().from(fanMemberships).orderBy(fanMemberships.ref)
      return rows.map(({ ref, number, holder, startsAt, endsAt }) => [
        ...[ref, number, holder, startsAt.toISOString(), endsAt.toISOString()],
      ])
    }
    const line = (ref: string, rest: string) => `${ref};season-ticket;${rest};01.07.2026;30.06.2027;A`

    test('refuses a cell that cannot be stored, with its place, and writes the others', async () => {
      const lines = [line('A-1', '00\u000042;Ada;;ada'), line('A-2', ';B\0ea;;bea'), line('A-3', ';Cy;;cy')]
      const refused = await run(lines)
      expect(refused).toMatchObject({ refused: true, invalid: 2 })
      expect(refused.said).toEqual([
        '2 number must not contain NUL or a lone surrogate',
        '3 holder must not contain NUL or a lone surrogate',
      ])
      expect(await run(lines, { skipInvalid: true })).toMatchObject({ created: 1, invalid: 2 })
    })

    test('writes what a line says, shows what changes, and nothing twice', async () => {
      const lines = [line('A-1', '0042;Ada;;ada'), line('A-2', ';Bea;;bea'), line('A-3', ';No one;;')]
      expect(await run(lines, { dryRun: true })).toMatchObject({ created: 2, unmatched: 1 })
      expect(await stored()).toEqual([])
      const first = await run(lines)
      expect(first).toMatchObject({ created: 2, unmatched: 1, invalid: 0 })
      expect(first.said).toEqual(['4  names no fan: it has neither a subject nor an e-mail'])
      const [starts, ends] = ['2026-06-30T23:00:00.000Z', '2027-06-30T23:00:00.000Z']
      expect(await stored()).toEqual([
        ['A-1', '0042', 'Ada', starts, ends],
        ['A-2', null, 'Bea', starts, ends],
      ])
      expect(await run(lines)).toMatchObject({ created: 0, changed: 0, unchanged: 2 })
      const changed = await run([line('A-1', '0043;Ada;;ada')])
      expect(changed.said).toEqual(['2 number 0042 -> 0043'])
    })

    test('refuses a file with lines that cannot be read, and writes nothing of it', async () => {
      const before = await stored()
      const lines = [
        line('B-1', ';Cai;;cai'),
        'B-2;season-ticket;;Dee;;dee;03/04/2026;30.06.2027;A',
        'B-3;unknown;;Eve;;eve;01.07.2026;30.06.2027;A',
        line('B-1', ';Other;;cai'),
        'B-5;season-ticket;;Fay;;fay;31.02.2026;30.06.2027;A',
        line('B-1', ';Cai;;cai'),
      ]
      const { said, ...counts } = await run(lines)
      expect(counts).toMatchObject({ refused: true, invalid: 4, created: 0 })
      expect(said).toEqual([
        '3 startsAt could be day or month first: state --dates dmy or mdy',
        '4 kind is not a kind of membership of the catalogue',
        '5 ref is a duplicate of line 2, with other content',
        '6 startsAt is not a day of the calendar',
      ])
      expect(await stored()).toEqual(before)
      expect(await run(lines, { skipInvalid: true })).toMatchObject({ created: 1, invalid: 4, repeated: 1 })
    })

    test('passes over rows without content, and cells without one after the last column', async () => {
      const lines = [';;;;;;;;', `${line('S-1', '007;Gil;;gil')};;`, ' ; ;;;;;;;', '']
      expect(await run(lines)).toMatchObject({ created: 1, invalid: 0, lines: 1 })
      expect(await run([`${line('S-2', '007;Gil;;gil')};x`, 'S-3;season-ticket'])).toMatchObject({
        refused: true,
        invalid: 2,
      })
    })

    test('refuses a name of ours that is no member, and writes nothing', async () => {
      const before = await stored()
      const map = { Ticket: 'ref', Name: 'holdr' }
      const { said, refused } = await run([line('N-1', ';Gil;;gil')], { map })
      expect([refused, said]).toEqual([
        true,
        [
          '1 holdr must be one of ref, kind, number, holder, email, provider, subject, startsAt, endsAt (--map)',
        ],
      ])
      expect(await stored()).toEqual(before)
    })

    test('refuses numbers that a spreadsheet has shortened, and text of another encoding', async () => {
      const latin = Buffer.from(line('T-3', ';J\u00fcrgen;;jo'), 'latin1')
      const lines = [line('4,71E+11', ';Hal;;hal'), line('T-2', '1.2E+15;Ida;;ida'), latin]
      expect((await run(lines)).said).toEqual([
        '2 Ticket is in scientific notation, which has lost digits: format the column as text',
        '3 number is in scientific notation, which has lost digits: format the column as text',
        '4  is not UTF-8: export the file as CSV UTF-8',
      ])
    })

    test('finds a fan by an e-mail that one fan alone has verified, and tells why it finds none', async () => {
      const userId = await fanWithEmail('ada@example.com')
      await fanWithEmail('bea@example.com', false)
      for (const _ of ['one', 'two']) await fanWithEmail('shared@example.com')
      const lines = [
        line('E-1', ';Ada; Ada@Example.com ;'),
        line('E-2', ';Bea;bea@example.com;'),
        line('E-3', ';Cai;shared@example.com;'),
        line('E-4', ';Dee;nobody@example.com;'),
        line('E-5', ';Eve;ADA@example.com;'),
      ]
      const expected = { created: 1, unmatched: 2, ambiguous: 2, invalid: 0 }
      const said = [
        '3  has an e-mail that no fan has verified',
        '4  has an e-mail that more than one fan has verified: state the subject of the fan',
        '5  has an e-mail that no fan has verified',
        '6  has the e-mail of line 2, with another holder: state the subject of the fan',
      ]
      const tried = await run(lines, { dryRun: true })
      expect(tried).toMatchObject(expected)
      expect(tried.said.toSorted()).toEqual(said)
      expect(await run(lines)).toMatchObject(expected)
      const { fanMemberships } = world.db.tables
      expect(await world.db.read.select().from(fanMemberships)).toMatchObject([{ ref: 'E-1', userId }])
    })

    test('leaves out a ref of another fan, and tells who is in the file twice', async () => {
      await run([line('D-1', '1;Ada;;ada')])
      const lines = [
        line('D-1', '1;Bea;;bea'),
        line('D-2', '2;Ada;;ada'),
        line('D-3', '3;Cai;;cai'),
        line('D-4', '4;Cai;;cai'),
        line('D-3', '3;Cai;;cai'),
        'D-5;season-ticket;5;Cai;;cai;01.07.2027;30.06.2028;A',
      ]
      const expected = { created: 4, ofAnotherFan: 1, overlapping: 2, repeated: 1, unmatched: 0 }
      const said = [
        '2  is a membership of another fan: end it, and give the new one another ref',
        '3  overlaps D-1, of the same fan and kind; both are kept',
        '5  overlaps line 4, of the same fan and kind; both are kept',
      ]
      for (const options of [{ dryRun: true }, { exclusive: true }]) {
        const result = await run(lines, options)
        expect(result).toMatchObject(expected)
        expect(result.said.toSorted()).toEqual(said)
      }
      expect((await stored()).map(([ref, , holder]) => [ref, holder])).toEqual([
        ['D-1', 'Ada'],
        ['D-2', 'Ada'],
        ['D-3', 'Cai'],
        ['D-4', 'Cai'],
        ['D-5', 'Cai'],
      ])
      // The office ends the old one, and writes the ticket again for the other fan.
      expect((await endMembership(await ticketOffice(world), 'D-1')).status).toBe(204)
      expect(await run([line('D-1b', '1;Bea;;bea')])).toMatchObject({ created: 1, overlapping: 0 })
    })

    test('counts a changed line that overlaps another membership, as stored or as the file changes it', async () => {
      const row = (ref: string, from: string, to: string) => `${ref};season-ticket;1;Ada;;ada;${from};${to};A`
      const first = row('O-1', '01.07.2026', '30.06.2027')
      expect(await run([first, row('O-2', '01.07.2027', '30.06.2028')])).toMatchObject({ overlapping: 0 })
      const early = row('O-2', '01.06.2027', '30.06.2028')
      const counted = await run([early])
      expect(counted).toMatchObject({ changed: 1, overlapping: 1 })
      expect(counted.said).toContain('2  overlaps O-1, of the same fan and kind; both are kept')
      expect(await run([early])).toMatchObject({ unchanged: 1, overlapping: 0 })
      // One ends before the other starts, and the other way round.
      const moved = [row('O-1', '01.07.2025', '30.06.2026'), row('O-2', '01.07.2026', '30.06.2027')]
      expect(await run(moved)).toMatchObject({ changed: 2, overlapping: 0 })
      expect(await run([row('O-3', '01.01.2027', '30.06.2027'), moved[1] ?? ''])).toMatchObject({
        ...{ created: 1, unchanged: 1, overlapping: 1 },
      })
    })
  },
  { worldPer: 'test', env: { FANS_BY_EMAIL: 'on' } },
)

test.each([
  ['2026-07-01', undefined, 'start', '2026-06-30T23:00:00.000Z'],
  ['2026-07-01T10:00:00+02:00', undefined, 'start', '2026-07-01T08:00:00.000Z'],
  ['1.7.2026', undefined, 'end', '2026-07-01T23:00:00.000Z'],
  ['13/07/2026', undefined, 'start', '2026-07-12T23:00:00.000Z'],
  ['07/13/2026', undefined, 'start', '2026-07-12T23:00:00.000Z'],
  ['07/08/2026', 'mdy', 'start', '2026-07-07T23:00:00.000Z'],
  ['07/08/2026', 'dmy', 'start', '2026-08-06T23:00:00.000Z'],
  ['07/07/2026', undefined, 'start', '2026-07-06T23:00:00.000Z'],
] as const)('the day %s, with the order %s, as the %s, is %s', (cell, dates, edge, expected) => {
  expect(readDate(cell, { timeZone: 'Europe/Lisbon', dates }, edge)).toEqual({ value: new Date(expected) })
})
