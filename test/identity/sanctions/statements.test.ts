/** What a fan learns about a sanction: facts, ground, and whether software found the content. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { decide } from '../../../src/fan/moderation/cases.ts'
import { fileAutomaticReport } from '../../../src/fan/moderation/reports.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { onEachEngine } from '../../support/world.ts'
import { type NamedFan, namedFan } from '../relations/relations-world.ts'

const FACTS = 'Three messages on 3 May: <b>insults</b>.\nمرحبا'
const ANA = { reason: 'harassment', decidedBy: 'Ana' } as const

onEachEngine('A statement', world => {
  const hide = (fanId: string, facts?: string) =>
    world.db.write(tx => recordDecision(tx, { ...ANA, fanId, kind: 'hide', facts }))
  const sanctionsOf = async (fan: NamedFan) => (await fan.get('/api/user/sanctions')).body.sanctions
  const rowsAbout = (fanId: string) => {
    const { moderationStatements: statements } = world.db.tables
    return world.db.read.select().from(statements).where(eq(statements.fanId, fanId))
  }

  test('states facts, ground and whether software found it, to the fan alone', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    await hide(fan.id, FACTS)
    expect(await sanctionsOf(fan)).toMatchObject([
      { reason: 'harassment', statement: { facts: FACTS, ground: 'harassment', automated: false } },
    ])
    expect(await sanctionsOf(other)).toEqual([])
    for (const client of [other, world.anonymous])
      expect(JSON.stringify((await client.get(`/api/fans/${fan.handle}`)).body)).not.toContain('insults')
    const { events } = world.db.tables
    const recorded = await world.db.read.select().from(events).where(eq(events.userId, fan.id))
    expect(JSON.stringify(recorded)).toContain('sanction.applied')
    expect(JSON.stringify(recorded)).not.toContain('insults')
  })

  test('says that the text filter found it, also if fans reported it', async () => {
    const [fan, reporter] = [await namedFan(world), await namedFan(world)]
    const subject = { kind: 'fan', id: fan.handle }
    await reporter.post('/api/reports', { subject, reason: 'harassment' })
    await world.db.write(tx => fileAutomaticReport(tx, fan.id, ['word']))
    const mute = { ...ANA, kind: 'mute', facts: FACTS } as const
    await world.db.write(tx => decide(tx, fan.id, mute))
    await world.db.write(tx => decide(tx, fan.id, { ...mute, kind: 'hide' }))
    const found = (await sanctionsOf(fan)).map(
      ({ kind, statement }: { kind: string; statement: { automated: boolean } }) => [
        kind,
        statement.automated,
      ],
    )
    // The report was resolved by the first.
    expect(found).toEqual([
      ['hide', false],
      ['mute', true],
    ])
  })

  test('without facts has the ground', async () => {
    const fan = await namedFan(world)
    await hide(fan.id)
    expect(await sanctionsOf(fan)).toMatchObject([
      { statement: { facts: null, ground: 'harassment', automated: false } },
    ])
  })

  test('is of sanctions only', async () => {
    const fan = await namedFan(world)
    const { id } = await hide(fan.id, FACTS)
    await world.db.write(tx => recordDecision(tx, { ...ANA, fanId: fan.id, kind: 'note', note: 'x' }))
    await world.db.write(tx => recordDecision(tx, { ...ANA, fanId: fan.id, kind: 'lift', liftsId: id }))
    expect((await rowsAbout(fan.id)).map(({ decisionId }) => decisionId)).toEqual([id])
  })

  test('is in the data of the fan, and an erasure deletes the facts', async () => {
    const fan = await namedFan(world)
    const { id } = await hide(fan.id, FACTS)
    expect(await exportUser(world.db.read, { id: fan.id })).toMatchObject({
      sanctions: [{ id, statement: { facts: FACTS } }],
    })
    await world.db.write(tx => eraseUser(tx, { id: fan.id }))
    expect(await rowsAbout(fan.id)).toEqual([
      { decisionId: id, fanId: fan.id, facts: null, automated: false },
    ])
  })

  describe('is kept by the database', () => {
    test.each(['other facts', 'another fan', 'another source', 'a deletion'])(
      'which refuses %s',
      async change => {
        const fan = await namedFan(world)
        await hide(fan.id, FACTS)
        const before = await rowsAbout(fan.id)
        const { moderationStatements: statements } = world.db.tables
        const isAbout = eq(statements.fanId, fan.id)
        const { id: otherId } = await namedFan(world)
        const changed = world.db.write(async tx => {
          if (change === 'a deletion') return tx.delete(statements).where(isAbout)
          const values =
            change === 'other facts'
              ? { facts: 'Nothing.' }
              : change === 'another fan'
                ? { facts: null, fanId: otherId }
                : { facts: null, automated: true }
          return tx.update(statements).set(values).where(isAbout)
        })
        const refusal = await changed.then(() => '').catch(error => `${error} ${error.cause}`)
        expect(refusal).toContain('moderation_statements is append-only')
        expect(await rowsAbout(fan.id)).toEqual(before)
      },
    )
  })
})
