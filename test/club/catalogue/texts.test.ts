/** Texts of catalogue entries by language: what a file may state, what an import changes, and what else reads the default. */
import { expect, test } from 'bun:test'
import { columnsIn, type Text } from '../../../src/club/catalogue/texts.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { type CatalogueRecord, planRecord, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { readCatalogue } from '../../../src/play/catalogue-file/read-file.ts'
import { onEachEngine } from '../../support/world.ts'

const rewardWith = (id: string, title: Text, description: Text = 'A scarf.') => ({
  kind: 'reward' as const,
  entry: { id, title, description, itemType: 'voucher', pointsRequired: 0 },
})

const faultsOf = (title: unknown) =>
  readCatalogue(JSON.stringify({ rewards: [rewardWith('scarf', title as Text).entry] }), false).faults

const EXPECTED =
  'must be a string of 1 to 100 characters or such strings by language, like {"en": "Scarf", "pt-BR": "Cachecol"}, in at most 30 languages'

test.each([
  ['a string', 'Scarf'],
  ['one language', { pt: 'Cachecol' }],
  [
    'language, script and region',
    { en: 'a', 'pt-BR': 'b', 'zh-Hant': 'c', 'zh-Hant-HK': 'd', 'es-419': 'e' },
  ],
])('a file may state a text as %s', (_, title) => {
  expect(faultsOf(title)).toEqual([])
})

const many = Object.fromEntries(
  Array.from({ length: 31 }, (_, n) => [`a${String.fromCharCode(97 + (n % 26))}-${100 + n}`, 'x']),
)
test.each<[string, unknown]>([
  ['no language', {}],
  ['too many languages', many],
  ['a tag in another case', { EN: 'Scarf' }],
  ['a tag with an extension', { 'en-u-ca-buddhist': 'Scarf' }],
  ['a tag that is none', { 'en GB': 'Scarf' }],
  ['an empty text', { en: '' }],
  ['a text that is too long', { en: 'x'.repeat(101) }],
  ['a list', ['Scarf']],
  ['a number', 5],
  ['null', null],
])('a file with %s is refused', (_, title) => {
  expect(faultsOf(title)).toEqual([{ line: 1, pointer: '/rewards/0/title', message: EXPECTED }])
})

test('a deprecated language tag is refused, and the error names the current one', () => {
  expect(faultsOf({ en: 'Scarf', iw: 'צעיף' })).toEqual([
    { line: 1, pointer: '/rewards/0/title/iw', message: 'must be he, its canonical tag' },
  ])
})

onEachEngine('Texts of a catalogue file', world => {
  const write = (record: CatalogueRecord) => world.db.write(tx => writeRecord(tx, record))
  const plan = (record: CatalogueRecord) => planRecord(world.db.read, record)

  test('a member of an entry without a column of its table does not compile', () => {
    const { rewards } = world.db.tables
    expect(columnsIn(rewards, { title: 'Scarf' })).toEqual({ title: 'Scarf', translations: null })
    // @ts-expect-error: the table has no column of this name.
    columnsIn(rewards, { title: 'Scarf', rarity: 'common' })
  })

  test('an import reports and writes what changes by language; the same import again changes nothing', async () => {
    const before = rewardWith('by-language', { en: 'Scarf', pt: 'Cachecol' })
    expect((await write(before)).outcome).toBe('created')
    expect(await plan(before)).toEqual({ outcome: 'unchanged', members: {} })
    const after = rewardWith('by-language', { en: 'Scarf', pt: 'Cachecol novo', ar: 'وشاح' })
    const members = { 'title/pt': ['Cachecol', 'Cachecol novo'], 'title/ar': [null, 'وشاح'] }
    expect(await plan(after)).toEqual({ outcome: 'changed', members } as never)
    expect((await write(after)).members).toEqual(members as never)
    expect((await write(after)).outcome).toBe('unchanged')
    expect((await plan(rewardWith('by-language', { en: 'Scarf' }))).members).toEqual({
      'title/pt': ['Cachecol novo', null],
      'title/ar': ['وشاح', null],
    })
  })

  test('a change of the order alone changes the default', async () => {
    const fan = await world.fan()
    const title = async () =>
      (await fan.get('/api/rewards')).body.rewards.find(({ id }: { id: string }) => id === 'order').title
    await write(rewardWith('order', { en: 'Scarf', pt: 'Cachecol' }))
    expect(await title()).toBe('Scarf')
    const turned = rewardWith('order', { pt: 'Cachecol', en: 'Scarf' })
    expect((await write(turned)).members).toEqual({
      title: [
        { en: 'Scarf', pt: 'Cachecol' },
        { pt: 'Cachecol', en: 'Scarf' },
      ],
    })
    expect(await title()).toBe('Cachecol')
  })

  test('a string replaces the languages of a text, and the other way round', async () => {
    await write(rewardWith('string', { en: 'Scarf', pt: 'Cachecol' }))
    expect((await write(rewardWith('string', 'Scarf'))).members).toEqual({
      title: [{ en: 'Scarf', pt: 'Cachecol' }, 'Scarf'],
    })
    const fan = await world.fan()
    const answer = await fan.get('/api/rewards?lang=pt')
    expect(answer.body.rewards).toContainEqual(expect.objectContaining({ id: 'string', title: 'Scarf' }))
    expect((await write(rewardWith('string', { en: 'Scarf' }))).outcome).toBe('changed')
  })

  test('texts of packs and of their items, of rules and of quests are imported again without a change', async () => {
    const text = { en: 'Text', pt: 'Texto' }
    const item = { id: 'moment', weight: 1_000_000, name: text, description: text, rarity: 'rare' }
    const records: CatalogueRecord[] = [
      {
        kind: 'pack',
        entry: {
          ...{ id: 'moments', name: text, description: text, itemsPerPack: 1, items: [item] },
          price: { amount: 1, currency: 'POINTS' },
        },
      },
      { kind: 'rule', entry: { id: 'gate', name: text, eventType: 'ticket.scanned', points: { fixed: 1 } } },
      {
        kind: 'quest',
        entry: {
          ...{ id: 'gates', title: text, description: text, kind: 'achievement', period: 'once' },
          steps: [{ id: 'gates', eventType: 'ticket.scanned', target: 1 }],
        },
      },
    ]
    for (const record of records) {
      expect((await write(record)).outcome).toBe('created')
      expect(await plan(record)).toEqual({ outcome: 'unchanged', members: {} })
    }
    const turned = { ...item, name: { pt: 'Texto', en: 'Text' } }
    const [pack] = records
    if (pack?.kind !== 'pack') throw new Error('the first record is the pack')
    expect((await write({ kind: 'pack', entry: { ...pack.entry, items: [turned] } })).outcome).toBe('changed')
    expect((await world.anonymous.get('/api/packs/moments')).body.items[0].name).toBe('Texto')
  })

  test('a fan’s export has the default language', async () => {
    const fan = await world.fan()
    await write(rewardWith('exported', { pt: 'Cachecol', en: 'Scarf' }))
    await fan.post('/api/rewards/claim?lang=en', { rewardId: 'exported' }, { 'idempotency-key': 'one' })
    const caller = { provider: world.config.identity.name, subject: fan.subject }
    const { rewards, storedResponses } = JSON.parse(JSON.stringify(await exportUser(world.db.read, caller)))
    expect(rewards).toMatchObject([{ rewardId: 'exported', title: 'Cachecol' }])
    expect(JSON.stringify(storedResponses)).toContain('Cachecol')
    expect(JSON.stringify(storedResponses)).not.toContain('Scarf')
  })
})
