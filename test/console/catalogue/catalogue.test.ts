/** The API of the catalogue editor, on both engines. */
import { expect, test } from 'bun:test'
import { asc, eq } from 'drizzle-orm'
import { segmentKind } from '../../../src/club/segments/segment-kind.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { type CatalogueRecord, kindNamed, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { giveReward } from '../../../src/play/rewards/give-reward.ts'
import { fullCatalogue } from '../../club/catalogue/full-catalogue.ts'
import { addFan } from '../../economy/rules/rules-world.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { consoleOf } from '../support.ts'

let made = 0

onEachEngine('The catalogue of the console', world => {
  const { as } = consoleOf(world)
  const editor = as('editor')
  const full = async () => {
    const prefix = `api-${++made}`
    const records = fullCatalogue(prefix)
    await world.db.write(async tx => {
      for (const record of records) await writeRecord(tx, record)
    })
    return { prefix, records }
  }
  const pathOf = ({ kind, entry }: CatalogueRecord) => `/api/catalogue/${kind}/entries/${entry.id}`
  const reward = (id: string) => ({
    ...{ id, title: 'Scarf', description: 'One.', itemType: 'voucher', pointsRequired: 5 },
  })

  test('an entry of many items is larger than other bodies may be', async () => {
    const entry = { ...reward(`large-${++made}`), description: 'x'.repeat(100_000) }
    const { status, body } = await editor.put(`/api/catalogue/reward/entries/${entry.id}`, {
      ...{ entry, revision: 0, reason: 'A long text.' },
    })
    expect([status, body.errors[0].pointer]).toEqual([422, '/entry/description'])
  })

  test('lists the kinds, and entries with state, search in any language, and pages', async () => {
    const { prefix } = await full()
    const kinds = (await as('support').get('/api/catalogue')).body.kinds
    expect(kinds.map(({ kind }: { kind: string }) => kind)).toEqual([
      'team',
      'player',
      'season',
      'sponsor',
      'document',
      'account',
      'segment',
      'membership',
      'reward',
      'pack',
      'competition',
      'division',
      'match',
      'rule',
      'quest',
      'set',
      'question',
      'campaign',
      'product',
      'notification',
      'settings',
    ])
    const ids = async (query: string) =>
      (await editor.get(`/api/catalogue/reward?${query}`)).body.entries.map(({ id }: { id: string }) => id)
    expect(await ids(`search=${prefix}`)).toEqual([`${prefix}-open`, `${prefix}-scarf`])
    expect(await ids(`search=${encodeURIComponent('وشاح')}&limit=100`)).toContain(`${prefix}-scarf`)
    expect(await ids(`search=${prefix}&state=off`)).toEqual([`${prefix}-open`])
    expect(await ids(`search=${prefix}&state=live`)).toEqual([`${prefix}-scarf`])
    expect(await ids('search=nothing-has-this')).toEqual([])
    const first = (await editor.get(`/api/catalogue/reward?search=${prefix}&limit=1`)).body
    expect(first.entries.length).toBe(1)
    const next = (
      await editor.get(`/api/catalogue/reward?search=${prefix}&limit=1&cursor=${first.nextCursor}`)
    ).body
    expect([next.entries[0].id, next.nextCursor]).toEqual([`${prefix}-scarf`, null])
    const other = await editor.get(`/api/catalogue/rule?search=${prefix}&cursor=${first.nextCursor}`)
    expect([other.status, other.body.code]).toEqual([400, 'invalid_cursor'])
    expect((await editor.get('/api/catalogue/fans')).status).toBe(422)
  })

  test('a row has picture, price or points, stock, and what is taken and missing', async () => {
    const { prefix } = await full()
    const rows = async (kind: string, query = '') =>
      (await editor.get(`/api/catalogue/${kind}?search=${prefix}${query}`)).body.entries
    const fan = await addFan(world)
    await world.db.write(tx => giveReward(tx, fan, `${prefix}-scarf`))
    const [open, scarf] = await rows('reward')
    expect(open).toMatchObject({
      stock: null,
      claimed: 0,
      sold: null,
      points: 0,
      price: null,
      pictures: [],
    })
    expect(scarf).toMatchObject({ stock: 7, claimed: 1, sold: null, points: 5 })
    const [single, starter] = await rows('pack')
    expect(single).toMatchObject({
      stock: null,
      claimed: null,
      sold: 0,
      price: { amount: 299, currency: 'EUR' },
    })
    expect(starter).toMatchObject({ stock: 10, sold: 0, points: null })
    const [shirt] = await rows('product')
    // A variant without a limit.
    expect(shirt).toMatchObject({ stock: null, sold: 0, pictures: ['/pictures/b.svg'] })
    // The title has all languages, the description only the default one.
    const missing = new Map(
      scarf.missing.map(({ language, texts }: Record<string, unknown>) => [language, texts]),
    )
    expect([missing.get('en'), missing.get('pt'), missing.get('ar')]).toEqual([undefined, 1, 1])
  })

  test('a text without letters, such as the name of a season, is missing in no language', async () => {
    const { prefix } = await full()
    const times = { startsAt: '1950-07-01T00:00:00Z', endsAt: '1950-08-01T00:00:00Z' }
    await world.db.write(async tx => {
      for (const [id, name] of [
        ['a', '1950/51'],
        ['b', 'Season 1950/51'],
      ] as const)
        await writeRecord(tx, {
          kind: 'season',
          entry: { id: `${prefix}-${id}`, name, ...times, active: false },
        })
    })
    const { entries } = (await editor.get(`/api/catalogue/season?search=1950`)).body
    const missing = ({ missing: all }: { missing: { language: string }[] }) =>
      all.map(({ language }) => language).includes('pt')
    expect(entries.filter(({ id }: { id: string }) => id.startsWith(prefix)).map(missing)).toEqual([
      false,
      true,
    ])
  })

  test('a match is found and shown by its teams, with their crests and its day', async () => {
    const { prefix, records } = await full()
    await world.db.write(async tx => {
      for (const { kind, entry } of records)
        if (kind === 'team')
          await writeRecord(tx, { kind, entry: { ...entry, crestUrl: `/pictures/${entry.shortName}.svg` } })
      const timeZone = 'Pacific/Auckland'
      await writeRecord(tx, { kind: 'settings', entry: { id: 'club', timeZone } })
    })
    const { body } = await editor.get('/api/catalogue/match?search=harbour%20%E2%80%93%20bay')
    expect(body.entries.find(({ id }: { id: string }) => id === `${prefix}-derby`)).toMatchObject({
      title: 'Harbour – Bay <b>, 2 Oct 2026',
      pictures: ['/pictures/HAR.svg', '/pictures/BAY.svg'],
    })
    const { body: one } = await editor.get(`/api/catalogue/match/entries/${prefix}-derby`)
    expect(one.title).toBe('Harbour – Bay <b>, 2 Oct 2026')
    await world.db.write(tx => writeRecord(tx, { kind: 'settings', entry: { id: 'club', timeZone: null } }))
  })

  test('a list is sorted by each column, without a value last, and read in pages', async () => {
    const prefix = `sorted-${++made}`
    const entries = [
      ...[5, 300, 20].map((pointsRequired, n) => ({
        ...reward(`${prefix}-${n}`),
        pointsRequired,
        stock: 10 - n,
      })),
      { ...reward(`${prefix}-3`), pointsRequired: 20, title: 'Any', endsAt: '2031-01-01T00:00:00Z' },
    ]
    await world.db.write(async tx => {
      for (const entry of entries) await writeRecord(tx, { kind: 'reward', entry })
    })
    const read = async (query: string) =>
      (await editor.get(`/api/catalogue/reward?search=${prefix}&${query}`)).body
    const order = async (query: string) =>
      (await read(query)).entries.map(({ id }: { id: string }) => id.at(-1)).join('')
    expect(await order('sort=points')).toBe('0231')
    expect(await order('sort=points&order=desc')).toBe('1230')
    expect(await order('sort=stock')).toBe('2103')
    expect(await order('sort=stock&order=desc')).toBe('0123')
    expect(await order('sort=ends')).toBe('3012')
    expect(await order('sort=title')).toBe('3012')
    let pages = ''
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { entries: { id: string }[]; nextCursor: string | null } = await read(
        `sort=points&limit=1${cursor && `&cursor=${cursor}`}`,
      )
      pages += page.entries.map(({ id }) => id.at(-1)).join('')
      cursor = page.nextCursor
    }
    expect(pages).toBe('0231')
    const { nextCursor } = await read('sort=points&limit=1')
    const other = await editor.get(`/api/catalogue/reward?search=${prefix}&sort=stock&cursor=${nextCursor}`)
    expect(other.body.code).toBe('invalid_cursor')
  })

  test('a list is filtered by what is left', async () => {
    const prefix = `left-${++made}`
    await world.db.write(async tx => {
      for (const [n, stock] of [0, 1, 5, null].entries())
        await writeRecord(tx, { kind: 'reward', entry: { ...reward(`${prefix}-${n}`), stock } })
    })
    const fan = await addFan(world)
    for (let n = 0; n < 4; n++) {
      const userId = n === 0 ? fan : await addFan(world)
      await world.db.write(tx => giveReward(tx, userId, `${prefix}-2`))
    }
    const ids = async (left: string) =>
      (await editor.get(`/api/catalogue/reward?search=${prefix}&left=${left}`)).body.entries.map(
        ({ id }: { id: string }) => id.at(-1),
      )
    expect([await ids('none'), await ids('few')]).toEqual([['0'], ['1', '2']])
  })

  test('a form gets the languages of the catalogue, and the words that entries use', async () => {
    const { prefix } = await full()
    const { body } = await editor.get(`/api/catalogue/product/entries/${prefix}-shirt`)
    expect(body.languages[0]).toBe('en')
    expect(body.languages).toEqual(expect.arrayContaining(['pt', 'pt-BR', 'ar']))
    expect(body.suggestions.category).toEqual(expect.arrayContaining(['gifts', 'shirts']))
    const created = await editor.get('/api/catalogue/reward/schema')
    expect(created.body.suggestions.itemType).toEqual(expect.arrayContaining(['voucher', 'x']))
    expect(created.body.suggestions.id).toBeUndefined()
  })

  test('an entry is scheduled, live and over by its start and end', async () => {
    const at = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString()
    const entry = { ...reward(`timed-${++made}`), startsAt: at(60_000), endsAt: at(120_000) }
    const path = `/api/catalogue/reward/entries/${entry.id}`
    await editor.put(path, { entry, revision: null, reason: 'Soon' })
    const stateNow = async () => (await editor.get(path)).body.state
    expect(await stateNow()).toBe('scheduled')
    world.clock.advance(60_000)
    expect(await stateNow()).toBe('live')
    world.clock.advance(60_000)
    expect(await stateNow()).toBe('over')
  })

  test('every kind is read with its schema, and saving what was read changes nothing', async () => {
    const { records } = await full()
    for (const record of records) {
      const { status, body } = await editor.get(pathOf(record))
      expect([record.kind, status, body.revision]).toEqual([record.kind, 200, 1])
      expect(Object.keys(body.schema.properties)).toEqual(Object.keys(body.entry))
      const plan = await editor.post(`/api/catalogue/${record.kind}/plan`, { entry: body.entry })
      expect([record.kind, plan.body]).toEqual([
        record.kind,
        { outcome: 'unchanged', revision: 1, changes: [] },
      ])
      const saved = await editor.put(pathOf(record), { entry: body.entry, revision: 1, reason: 'Look' })
      expect(saved.body).toEqual({ outcome: 'unchanged', revision: 1 })
    }
  })

  test('a change is compared, saved with who and why, and audited in the same unit of work', async () => {
    const { prefix } = await full()
    const path = `/api/catalogue/reward/entries/${prefix}-scarf`
    const { entry } = (await editor.get(path)).body
    const draft = { ...entry, title: { ...entry.title, pt: 'Lenço' }, pointsRequired: 9 }
    const plan = await editor.post('/api/catalogue/reward/plan', { entry: draft })
    expect(plan.body).toEqual({
      ...{ outcome: 'changed', revision: 1 },
      changes: [
        { member: 'title/pt', from: 'Cachecol', to: 'Lenço' },
        { member: 'pointsRequired', from: 5, to: 9 },
      ],
    })
    const saved = await editor.put(path, { entry: draft, revision: 1, reason: 'A better word' })
    expect(saved.body).toEqual({ outcome: 'changed', revision: 2 })
    const { consoleAudit } = world.db.tables
    const audited = await world.db.read
      .select()
      .from(consoleAudit)
      .where(eq(consoleAudit.subjectId, `${prefix}-scarf`))
      .orderBy(asc(consoleAudit.seq))
    expect(audited.at(-1)).toMatchObject({
      ...{ operation: 'saveCatalogueEntry', subjectKind: 'reward', reason: 'A better word' },
      ...{ staffName: 'Test editor', detail: '{"outcome":"changed","revision":2}' },
    })
    const { revisions } = (await as('support').get(`${path}/history`)).body
    expect(revisions).toMatchObject([
      { revision: 2, source: 'console', staffName: 'Test editor', reason: 'A better word' },
      { revision: 1, source: 'script', staffName: null, reason: null },
    ])
    const compared = (await as('support').get(`${path}/history/2`)).body
    expect([compared.with, compared.changes]).toEqual([1, plan.body.changes])
    expect((await editor.get(`${path}/history/2?with=2`)).body.changes).toEqual([])
    expect((await editor.get(`${path}/history/9`)).body.code).toBe('revision_not_found')

    const restored = await editor.post(`${path}/restore`, { restore: 1, revision: 2, reason: 'It was right' })
    expect(restored.body).toEqual({ outcome: 'changed', revision: 3 })
    expect((await editor.get(path)).body.entry).toEqual(entry)
  })

  test('only one of several concurrent changes of a revision succeeds, and the others get stale_revision', async () => {
    const { prefix } = await full()
    const path = `/api/catalogue/quest/entries/${prefix}-z-first`
    const { entry } = (await editor.get(path)).body
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        as('editor', `Editor ${n}`).put(path, {
          entry: { ...entry, title: `Try ${n}` },
          revision: 1,
          reason: 'Race',
        }),
      ),
    )
    expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([
      200,
      ...Array(5).fill('revision_conflict'),
    ])
    const { consoleAudit } = world.db.tables
    const audited = await world.db.read
      .select()
      .from(consoleAudit)
      .where(eq(consoleAudit.subjectId, `${prefix}-z-first`))
    expect(audited.length).toBe(1)
  })

  test('refusals point at the member', async () => {
    const { prefix } = await full()
    const plan = async (kind: string, entry: object) => {
      const { status, body } = await editor.post(`/api/catalogue/${kind}/plan`, { entry })
      return [status, body.code, ...(body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer)]
    }
    const wrong = { ...reward('bad'), pointsRequired: -1, colour: 'red', endsAt: 'soon' }
    expect(await plan('reward', wrong)).toEqual([
      422,
      'validation_failed',
      ...['/entry/colour', '/entry/pointsRequired', '/entry/endsAt'],
    ])
    expect(await plan('reward', { ...reward('purchase') })).toEqual([422, 'validation_failed', '/entry/id'])
    const team = { id: 'm', competition: 'Cup', season: '26', kickoffAt: '2026-10-01T18:00:00Z' }
    expect(await plan('match', { ...team, homeTeamId: 'nobody', awayTeamId: `${prefix}-bay` })).toEqual([
      409,
      'catalogue_conflict',
      '/entry/homeTeamId',
    ])
    const fan = await world.fan()
    const limited = { ...reward(`claimed-${++made}`), pointsRequired: 0, stock: 5 }
    const path = `/api/catalogue/reward/entries/${limited.id}`
    await editor.put(path, { entry: limited, revision: null, reason: 'New' })
    await fan.post('/api/rewards/claim', { rewardId: limited.id })
    const less = { entry: { ...limited, stock: 0 }, revision: 1, reason: 'Gone' }
    const refused = await editor.put(path, less)
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
      409,
      'catalogue_conflict',
      '/entry/stock',
    ])
    const moved = await editor.put(path, { ...less, entry: { ...limited, id: 'other' } })
    expect([moved.status, moved.body.errors[0].pointer]).toEqual([422, '/entry/id'])
    const again = await editor.put(path, { entry: limited, revision: null, reason: 'New' })
    expect([again.status, again.body.code]).toEqual([409, 'revision_conflict'])
    expect((await editor.put(path, { entry: limited, revision: 1 })).status).toBe(422)
    expect((await editor.get('/api/catalogue/reward/entries/nothing')).body.code).toBe('entry_not_found')
  })

  test('every kind is switched off and on, and each is a revision', async () => {
    const { records } = await full()
    for (const record of records) {
      if (record.kind === 'settings' || record.entry.active === false) continue
      const path = `${pathOf(record)}/activation`
      const off = await editor.post(path, { active: false, revision: 1, reason: 'Pause' })
      expect([record.kind, off.body]).toEqual([record.kind, { outcome: 'changed', revision: 2 }])
      expect((await editor.get(pathOf(record))).body.state).toBe('off')
      const stale = await editor.post(path, { active: true, revision: 1, reason: 'On' })
      expect(stale.body.code).toBe('revision_conflict')
      await editor.post(path, { active: true, revision: 2, reason: 'On' })
      const [stored] = await kindNamed(record.kind).read(world.db.read, [record.entry.id])
      expect(stored).toMatchObject({ active: true })
    }
  })

  test('support can read, but not write', async () => {
    const { prefix } = await full()
    const path = `/api/catalogue/reward/entries/${prefix}-open`
    const support = as('support')
    const { entry } = (await support.get(path)).body
    expect(entry.title).toBe('Open')
    const refused = await Promise.all([
      support.put(path, { entry, revision: 1, reason: 'No' }),
      support.post(`${path}/activation`, { active: true, revision: 1, reason: 'No' }),
      support.post(`${path}/restore`, { restore: 1, revision: 1, reason: 'No' }),
      support.post('/api/catalogue/reward/plan', { entry }),
      support.post('/api/catalogue/rule/preview', { entry, days: 30 }),
    ])
    expect(refused.map(({ body }) => body.code)).toEqual(Array(5).fill('permission_denied'))
  })

  test('a segment is counted by its draft, with some fans and where it is used', async () => {
    const prefix = `segment-api-${++made}`
    const when = [{ fact: 'country', op: 'eq', value: 'FJ' }] as const
    const entry = { id: prefix, name: 'Secret', when: [...when] }
    const [inside, outside] = [await addFan(world), await addFan(world)]
    const { users } = world.db.tables
    for (const [id, country] of [
      [inside, 'FJ'],
      [outside, 'TO'],
    ] as const)
      await world.db.write(tx => tx.update(users).set({ country, handle: country }).where(eq(users.id, id)))
    const preview = (by: Client, draft: object) => by.post('/api/catalogue/segment/preview', { entry: draft })
    const counted = await preview(editor, entry)
    expect(counted).toMatchObject({ status: 200, body: { fans: 1, sample: null, uses: [] } })
    await world.db.write(tx => segmentKind.upsert(tx, entry))
    const type = `test.api-${++made}`
    const rule = { id: prefix, name: 'Rule', eventType: type, points: { fixed: 1 }, fan: prefix }
    await world.db.write(tx => upsertRule(tx, rule))
    const both = { ...entry, when: [{ fact: 'country', op: 'in', value: ['FJ', 'TO'] }] }
    const { body } = await preview(as('owner'), both)
    expect(body).toEqual({
      fans: 2,
      sample: [
        { id: inside, displayName: null, handle: 'FJ' },
        { id: outside, displayName: null, handle: 'TO' },
      ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      uses: [{ kind: 'rule', id: prefix, pointer: '/fan' }],
    })
    const bad = await preview(editor, { ...entry, when: [{ fact: 'shoeSize', op: 'eq', value: 1 }] })
    expect([bad.status, bad.body.errors[0].pointer]).toEqual([422, '/entry/when/0/fact'])
  })

  test('a preview streams its progress and its result, and refuses a draft that is not valid', async () => {
    const fan = await addFan(world)
    const eventType = `test.api-${++made}`
    for (let n = 0; n < 3; n++)
      await world.db.write(tx =>
        writeEvent(tx, {
          ...{ source: 'shop', eventId: `${eventType}-${n}`, userId: fan, type: eventType },
          ...{ occurredAt: tx.now(), data: { amount: n } },
        }),
      )
    const linesOf = async (kind: string, entry: object) =>
      String((await editor.post(`/api/catalogue/${kind}/preview`, { entry, days: 30 })).body)
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    const rule = { id: 'draft', name: 'Draft', eventType, points: { fixed: 4 }, active: false }
    const lines = await linesOf('rule', rule)
    expect(lines[0]).toEqual({ progress: { events: 0, share: 0 } })
    expect(lines.at(-1).result).toMatchObject({ points: 12, fans: 1, events: 3, isComplete: true })
    const quest = {
      ...{ id: 'draft', title: 'Draft', description: 'Draft.', kind: 'quest', period: 'once' },
      ...{ steps: [{ id: 'do', eventType, target: 2 }], reward: { points: 7 } },
    }
    expect((await linesOf('quest', quest)).at(-1).result).toMatchObject({
      points: 7,
      completions: 1,
      started: 1,
    })
    const bad = await editor.post('/api/catalogue/rule/preview', {
      entry: { ...rule, eventType: 'X' },
      days: 30,
    })
    expect([bad.status, bad.body.errors[0].pointer]).toEqual([422, '/entry/eventType'])
  })
})
