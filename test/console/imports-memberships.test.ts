/** The file of a ticket office in the console: tried, its difference shown, and imported once. */
import { beforeEach, expect, test } from 'bun:test'
import { addMembershipKind } from '../play/memberships/memberships-world.ts'
import { expectStatus } from '../play/packs/packs-world.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'
import { check, importTried, tryFile, type Upload, upload } from './uploads.ts'

const fileOf = (...lines: string[]): Upload => ({
  command: 'import-memberships',
  name: 'tickets.csv',
  text: ['Card no.;kind;number;holder;subject;email;startsAt;endsAt', ...lines].join('\n'),
})
const options = { columns: [{ column: 'Card no.', name: 'ref' }], dates: 'dmy' }

onEachEngine(
  'An import of memberships in the console',
  world => {
    beforeEach(() => addMembershipKind(world))
    const owner = () => consoleOf(world).as('owner')
    const stored = async () => {
      const { fanMemberships } = world.db.tables
      const rows = await world.db.read.select().from(fanMemberships).orderBy(fanMemberships.ref)
      return rows.map(({ ref, number, holder }) => [ref, number, holder])
    }

    test('is tried without a trace, shows what changes without names, and writes it once', async () => {
      const first = fileOf('A-1;season-ticket;0042;Ada;ada;;01/07/2026;30/06/2027')
      await importTried(world, owner(), await tryFile(world, owner(), first, options))
      const second = fileOf(
        'A-1;season-ticket;0043;Ada Okafor;ada;;01/07/2026;30/06/2027',
        'A-2;season-ticket;7;Bea;bea;;01/07/2026;30/06/2027',
        'A-3;season-ticket;8;Cai;;cai@example.com;01/07/2026;30/06/2027',
        'A-2;season-ticket;7;Bea;bea;;01/07/2026;30/06/2027',
      )
      const counts = { lines: 4, created: 1, changed: 1, unmatched: 1, repeated: 1, invalid: 0 }
      const tried = await tryFile(world, owner(), second, options)
      expect(tried).toMatchObject({
        state: 'done',
        counts,
        changes: [
          {
            ...{ kind: 'membership', id: 'A-1', outcome: 'changed' },
            members: [
              { member: 'number', from: '0042', to: '0043' },
              { member: 'holder', from: 'a name', to: 'another name' },
            ],
          },
        ],
        listed: [
          {
            line: 4,
            message: 'has only an e-mail, and FANS_BY_EMAIL is off: state the subject of the fan',
          },
        ],
      })
      expect(await stored()).toEqual([['A-1', '0042', 'Ada']])
      expect(await importTried(world, owner(), tried)).toMatchObject({ state: 'done', counts })
      expect(await stored()).toEqual([
        ['A-1', '0043', 'Ada Okafor'],
        ['A-2', '7', 'Bea'],
      ])
    })

    test('is refused where a line cannot be read, and takes only columns that exist', async () => {
      const file = fileOf('B-1;unknown;1;Ada;ada;;01/07/2026;30/06/2027')
      const tried = await tryFile(world, owner(), file, options)
      expect(tried).toMatchObject({
        counts: { invalid: 1, created: 0 },
        listed: [{ line: 2, field: 'kind' }],
      })
      const refused = await owner().post('/api/jobs/imports', { check: tried.id, reason: 'A new season.' })
      expect([refused.status, refused.body.code]).toEqual([409, 'import_has_invalid_lines'])
      expectStatus(
        422,
        await check(owner(), await upload(owner(), file), {
          columns: [{ column: 'Card no.', name: 'reference' }],
        }),
      )
    })
  },
  { worldPer: 'test' },
)
