/** Memberships from the file of a ticket office. */
import { beforeEach, expect, test } from 'bun:test'
import { importMembershipsFile } from '../../../src/operate/admin/import/memberships-file.ts'
import { readDate } from '../../../src/operate/admin/import/read-memberships.ts'
import { addMembershipKind } from '../../play/memberships/memberships-world.ts'
import { onEachEngine } from '../../support/world.ts'

const HEADER = 'Ticket;kind;number;Name;email;subject;startsAt;endsAt;Block'

onEachEngine(
  'importMembershipsFile',
  world => {
    beforeEach(() => addMembershipKind(world))

    async function run(lines: string[], options: { dryRun?: boolean; skipInvalid?: boolean } = {}) {
      const bytes = Buffer.from([HEADER, ...lines].join('\r\n'))
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
      const terms = { naming: { provider: world.config.identity.name }, timeZone: 'Europe/Lisbon' }
      const map = { Ticket: 'ref', Name: 'holder' }
      const counts = await importMembershipsFile(
        world.db,
        file,
        { ...terms, map, ...options, elapsed: () => performance.now() },
        { onChecked() {}, onFaulty: tell, onNote: tell, onWritten() {} },
      )
      return { ...counts, said }
    }
    const stored = async () => {
      const { fanMemberships } = world.db.tables
      const rows = await world.db.read.select().from(fanMemberships).orderBy(fanMemberships.ref)
      return rows.map(({ ref, number, holder, startsAt, endsAt }) => [
        ...[ref, number, holder, startsAt.toISOString(), endsAt.toISOString()],
      ])
    }
    const line = (ref: string, rest: string) => `${ref};season-ticket;${rest};01.07.2026;30.06.2027;A`

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
      expect(changed.said).toEqual(['2  changes number 0042 -> 0043'])
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
      expect(await run(lines, { skipInvalid: true })).toMatchObject({ created: 1, invalid: 4 })
    })
  },
  { worldPer: 'test' },
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
