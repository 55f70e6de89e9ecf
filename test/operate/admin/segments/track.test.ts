/** Tracked segments: each change is one event, also of several runs and processes, and of fans who are gone none. */
import { expect, spyOn, test } from 'bun:test'
import { and, asc, eq, inArray } from 'drizzle-orm'
import { verifyLedger } from '../../../../src/audit/runs/verify-ledger.ts'
import { exportSegments } from '../../../../src/club/segments/personal-data.ts'
import { type SegmentCondition, segmentKind } from '../../../../src/club/segments/segment-kind.ts'
import { eraseUser } from '../../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../../src/operate/admin/merge/merge-fans.ts'
import { trackSegments } from '../../../../src/operate/admin/segments/track.ts'
import { unique } from '../../../economy/rules/rules-world.ts'
import { readDocument } from '../../../platform/docs/document.ts'
import { liveIn } from '../../../play/eligibility/eligibility-world.ts'
import { userIdOf } from '../../../play/packs/packs-world.ts'
import { commandOf } from '../../../support/executable.ts'
import { type Fan, onEachEngine } from '../../../support/world.ts'

onEachEngine('A tracked segment', world => {
  const idOf = async (fan: Fan) => (await userIdOf(world, fan)) ?? ''
  const track = (size?: number) => trackSegments(world, size === undefined ? {} : { size })

  async function addTracked(country: string, members: { active?: boolean } = {}) {
    const id = unique('tracked')
    const when: SegmentCondition[] = [{ fact: 'country', op: 'eq', value: country }]
    const write = (changed: object) =>
      world.db.write(tx =>
        segmentKind.upsert(tx, { id, name: `Secret ${id}`, when, tracked: true, ...members, ...changed }),
      )
    await write({})
    return { id, write }
  }

  async function fanIn(country: string): Promise<Fan> {
    const fan = await world.fan()
    await liveIn(fan, country)
    return fan
  }

  /** What was told about the segment and a fan, in its order. */
  async function told(segmentId: string, userId: string): Promise<string[]> {
    const { events } = world.db.tables
    const rows = await world.db.read
      .select({ type: events.type, data: events.data })
      .from(events)
      .where(and(eq(events.userId, userId), inArray(events.type, ['segment.entered', 'segment.left'])))
      .orderBy(asc(events.sequence))
    return rows
      .filter(({ data }) => JSON.parse(data ?? '{}').segmentId === segmentId)
      .map(({ type }) => type ?? '')
  }

  async function findings(): Promise<string[]> {
    const found: string[] = []
    await verifyLedger(world.db, { onFinding: ({ what }) => void found.push(what) })
    return found
  }

  test('reads the segment once, however many parts the fans are compared in', async () => {
    await addTracked('NO')
    for (const _ of [1, 2, 3]) await fanIn('SE')
    await track()
    const read = spyOn(world.db.read.statements, 'get')
    try {
      expect(await track(1)).toBe(0)
      expect(read).toHaveBeenCalledTimes(0)
    } finally {
      read.mockRestore()
    }
  })

  test('tells each change once, and nothing while it is not tracked', async () => {
    const { id, write } = await addTracked('FR')
    const [fan, other] = [await fanIn('FR'), await fanIn('PT')]
    const [userId, otherId] = [await idOf(fan), await idOf(other)]
    await track()
    await track(1)
    expect([await told(id, userId), await told(id, otherId)]).toEqual([['segment.entered'], []])
    await liveIn(fan, 'MT')
    await liveIn(other, 'FR')
    await track(2)
    await track()
    const [inOut, outIn] = [['segment.entered', 'segment.left'], ['segment.entered']]
    expect([await told(id, userId), await told(id, otherId)]).toEqual([inOut, outIn])
    await write({ tracked: false })
    await liveIn(fan, 'FR')
    await track()
    expect(await told(id, userId)).toEqual(inOut)
    await write({})
    await track()
    expect(await told(id, userId)).toEqual([...inOut, 'segment.entered'])
    // A segment that is off has no members.
    await write({ active: false })
    await track()
    expect([await told(id, userId), await told(id, otherId)]).toEqual([
      [...inOut, 'segment.entered', 'segment.left'],
      [...outIn, 'segment.left'],
    ])
    expect(await findings()).toEqual([])
  })

  test('says nothing of a fan who is merged or erased, and judges the one who remains', async () => {
    const { id } = await addTracked('ES')
    const [from, into, gone] = [await fanIn('ES'), await world.fan(), await fanIn('ES')]
    await into.post('/api/user/onboarding', {})
    const [fromId, intoId, goneId] = [await idOf(from), await idOf(into), await idOf(gone)]
    await track()
    expect(await exportSegments(world.db.read, fromId)).toMatchObject([{ segmentId: id, isMember: true }])
    await world.db.write(tx => mergeFans(tx, { from: fromId, into: intoId, mergedBy: 'Ana', reason: null }))
    const { name: provider } = world.config.identity
    await world.db.write(tx => eraseUser(tx, { provider, subject: gone.subject }))
    await track()
    const { segmentMembers: rows } = world.db.tables
    const left = await world.db.read
      .select()
      .from(rows)
      .where(inArray(rows.userId, [fromId, goneId]))
    expect(left).toEqual([])
    expect(await told(id, fromId)).toEqual(['segment.entered'])
    // The merge has carried the country over.
    expect(await told(id, intoId)).toEqual(['segment.entered'])
    expect(await findings()).toEqual([])
  })

  test('a wrong row is found', async () => {
    const { id } = await addTracked('NO')
    const userId = await idOf(await fanIn('NO'))
    await track()
    const { segmentMembers: rows } = world.db.tables
    const own = and(eq(rows.segmentId, id), eq(rows.userId, userId))
    const alter = (set: object) => world.db.write(tx => tx.update(rows).set(set).where(own))
    const [row] = await world.db.read.select().from(rows).where(own)
    if (!row) throw new Error('nothing was recorded')
    for (const [set, what] of [
      [{ changes: 3 }, `segment_members.changes of ${id}`],
      [{ changes: 2, isMember: false }, `segment_members.changes of ${id}`],
      [{ changedAt: new Date(row.changedAt.getTime() + 3_600_000) }, `segment_members.changed_at of ${id}`],
    ] as const) {
      await alter(set)
      expect(await findings()).toEqual([what])
      await alter(row)
    }
    expect(await findings()).toEqual([])
  })

  test('is nowhere in what a fan can read', async () => {
    const { id } = await addTracked('SE')
    const fan = await fanIn('SE')
    await track()
    expect(await told(id, await idOf(fan))).toEqual(['segment.entered'])
    const { paths } = await readDocument(world)
    const read = Object.entries(paths).flatMap(([path, { get }]) =>
      // A stream has no end, and a server key reads other things.
      get && !path.includes('{') && !get.tags.some(tag => ['Stream', 'Server'].includes(tag)) ? [path] : [],
    )
    expect(read.length).toBeGreaterThan(30)
    for (const path of read) {
      const text = JSON.stringify((await fan.get(path)).body) ?? ''
      expect([path, text.includes('Secret'), text.includes(id)]).toEqual([path, false, false])
    }
  })

  if (world.databaseUrl !== null) {
    const run = (...parameters: string[]) =>
      Bun.spawn(
        [
          ...commandOf('test/operate/admin/segments/tracking-process.ts'),
          world.databaseUrl ?? '',
          ...parameters,
        ],
        { cwd: `${import.meta.dir}/../../../..`, stdout: 'pipe', stderr: 'pipe' },
      )

    async function finish(child: ReturnType<typeof run>) {
      if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
    }

    test('is told once by three processes at the same time', async () => {
      const { id } = await addTracked('DK')
      const fans = await Promise.all(Array.from({ length: 20 }, () => fanIn('DK')))
      const children = Array.from({ length: 3 }, () => run())
      for (const child of children) await finish(child)
      for (const fan of fans) expect(await told(id, await idOf(fan))).toEqual(['segment.entered'])
      expect(await findings()).toEqual([])
    })

    test.each(['before', 'after'])(
      'is told once by a process that is killed %s the commit of a part, and the next one',
      async when => {
        const country = when === 'before' ? 'IS' : 'EE'
        // What other tests have left is no part of this one.
        await track()
        const { id } = await addTracked(country)
        const fans = await Promise.all(Array.from({ length: 20 }, () => fanIn(country)))
        const ids = await Promise.all(fans.map(idOf))
        const tellAll = () => Promise.all(ids.map(userId => told(id, userId)))
        const killed = run('3', when)
        await killed.exited
        expect(killed.signalCode).toBe('SIGKILL')
        const before = (await tellAll()).filter(types => types.length > 0).length
        expect(before).toBeGreaterThan(0)
        expect(before).toBeLessThan(fans.length)
        expect(await findings()).toEqual([])
        await finish(run())
        expect(await tellAll()).toEqual(fans.map(() => ['segment.entered']))
        expect(await findings()).toEqual([])
        for (const fan of fans) await liveIn(fan, 'MT')
        await run('3', when).exited
        await finish(run())
        expect(await tellAll()).toEqual(fans.map(() => ['segment.entered', 'segment.left']))
        expect(await findings()).toEqual([])
      },
    )
  }
})
