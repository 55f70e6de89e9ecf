/** Sponsors: the public list, and what an entry may state. */
import { beforeAll, expect, test } from 'bun:test'
import { sponsorKind } from '../../../src/club/sponsors/sponsor-kind.ts'
import { type CatalogueRecord, entryKinds, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { onEachEngine } from '../../support/world.ts'
import { fullCatalogue } from '../catalogue/full-catalogue.ts'

type Sponsor = Parameters<typeof sponsorKind.upsert>[1]

onEachEngine('GET /api/sponsors', world => {
  const write = (entry: Sponsor) => world.db.write(tx => sponsorKind.upsert(tx, entry))
  const ferries = {
    id: 'ferries',
    name: { en: 'Ferries', pt: 'Balsas' },
    imageUrl: '/pictures/ferries.svg',
    url: 'https://ferries.example/fans?from=app',
  }

  test('lists the active sponsors by id, in the language of the caller, and follows each change', async () => {
    const list = async (language = 'en') =>
      (await world.anonymous.get(`/api/sponsors?lang=${language}`)).body.sponsors
    expect(await list()).toEqual([])
    await write(ferries)
    await write({ id: 'energy', name: 'Energy' })
    const energy = { id: 'energy', name: 'Energy', imageUrl: null, url: null }
    expect(await list()).toEqual([energy, { ...ferries, name: 'Ferries' }])
    expect(await list('pt')).toEqual([energy, { ...ferries, name: 'Balsas' }])
    expect((await write({ ...ferries, url: null })).members).toEqual({ url: [ferries.url, null] })
    expect(await list()).toEqual([energy, { ...ferries, name: 'Ferries', url: null }])
    await world.db.write(tx => sponsorKind.deactivate(tx, 'energy'))
    expect(await list()).toHaveLength(1)
  })
})

onEachEngine('The sponsor of an entry', world => {
  const kinds = ['reward', 'pack', 'product', 'quest', 'match'] as const
  const supported = (prefix: string, kind: string) => {
    const found = fullCatalogue(prefix).find(
      ({ kind: own, entry }) => own === kind && 'sponsorId' in entry && entry.sponsorId,
    )
    if (!found) throw new Error(`the full catalogue has no ${kind} with a sponsor`)
    return found
  }
  const write = (record: CatalogueRecord, options?: Parameters<typeof writeRecord>[2]) =>
    world.db.write(tx => writeRecord(tx, record, options))
  const withSponsor = (record: CatalogueRecord, sponsorId: string | null) =>
    // Guarantee of the cast: `supported` finds entries with this member.
    ({ ...record, entry: { ...record.entry, sponsorId } }) as CatalogueRecord

  test.each(kinds)('of a %s is stored, also when it is inactive, and can be taken away', async kind => {
    for (const record of fullCatalogue(kind)) await write(record)
    const record = supported(kind, kind)
    const read = async () => (await entryKinds[kind].read(world.db.read, [record.entry.id]))[0]?.sponsorId
    expect(await read()).toStartWith(kind)
    await world.db.write(tx => sponsorKind.deactivate(tx, `${kind}-ferries`))
    expect((await write(withSponsor(record, `${kind}-ferries`))).outcome).not.toBe('created')
    expect(await read()).toBe(`${kind}-ferries`)
    expect((await write(withSponsor(record, null))).members).toMatchObject({
      sponsorId: [`${kind}-ferries`, null],
    })
    expect(await read()).toBeNull()
  })

  test.each(kinds)('of a %s is one of the catalogue, or of the same import', async kind => {
    for (const record of fullCatalogue(`un${kind}`)) await write(record)
    const unknown = withSponsor(supported(`un${kind}`, kind), 'nobody')
    const refused = await write(unknown).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'catalogue_conflict' })
    expect(JSON.stringify(Object(refused).explanation)).toContain('/sponsorId')
    const isStated = (list: string, id: string) => list === 'sponsors' && id === 'nobody'
    expect((await write(unknown, { isStated })).outcome).toBe('changed')
  })
})

onEachEngine('The sponsor of an entry, for fans', world => {
  const prefix = 'shown'
  const ferries = `${prefix}-ferries`
  /** What a fan reads: the entry in its list, or alone. */
  const places = {
    reward: ['/api/rewards', 'rewards'],
    pack: ['/api/packs', 'packs'],
    product: [`/api/products/${prefix}-shirt`, null],
    quest: ['/api/quests', 'quests'],
    match: [`/api/matches/${prefix}-derby`, null],
  } as const
  const kinds = Object.keys(places) as (keyof typeof places)[]
  let records: CatalogueRecord[] = []
  beforeAll(async () => {
    records = fullCatalogue(prefix).map(record =>
      'sponsorId' in record.entry && record.entry.sponsorId
        ? // Guarantee of the cast: the entry has this member.
          ({ ...record, entry: { ...record.entry, sponsorId: ferries } } as CatalogueRecord)
        : record,
    )
    await world.db.write(async tx => {
      for (const record of records) await writeRecord(tx, record)
    })
  })
  const read = async (kind: keyof typeof places) => {
    const [path, list] = places[kind]
    const record = records.find(
      one => one.kind === kind && 'sponsorId' in one.entry && one.entry.sponsorId === ferries,
    )
    const { body } = await (await world.fan()).get(path)
    return list === null ? body : body[list].find(({ id }: { id: string }) => id === record?.entry.id)
  }
  const listed = async () =>
    (await world.anonymous.get('/api/sponsors')).body.sponsors.map(({ id }: { id: string }) => id)

  test.each(kinds)('is named in a %s, also for an anonymous caller', async kind => {
    expect(await read(kind)).toMatchObject({ sponsorId: ferries })
    const [path] = places[kind]
    const { status, body } = await world.anonymous.get(path)
    if (status === 200) expect(JSON.stringify(body)).toContain(`"sponsorId":"${ferries}"`)
  })

  test('is null where there is none', async () => {
    const { body } = await world.anonymous.get(`/api/products/${prefix}-voucher`)
    expect(body).toMatchObject({ id: `${prefix}-voucher`, sponsorId: null })
  })

  test('is not listed while it is switched off, and cached responses follow its changes', async () => {
    expect(await listed()).toContain(ferries)
    await world.db.write(tx => sponsorKind.deactivate(tx, ferries))
    expect(await listed()).not.toContain(ferries)
    for (const kind of kinds) expect(await read(kind)).toMatchObject({ sponsorId: ferries })
    const sponsor = records.find(({ entry }) => entry.id === ferries)
    if (sponsor) await world.db.write(tx => writeRecord(tx, sponsor))
    expect(await listed()).toContain(ferries)
  })

  test('of a product and a match changes in cached responses with the entry', async () => {
    for (const kind of ['product', 'match'] as const) {
      const record = records.find(one => one.kind === kind && 'sponsorId' in one.entry && one.entry.sponsorId)
      if (!record) throw new Error(`no ${kind} has a sponsor`)
      expect(await read(kind)).toMatchObject({ sponsorId: ferries })
      // Guarantee of the cast: the entry has this member.
      const without = { ...record, entry: { ...record.entry, sponsorId: null } } as CatalogueRecord
      await world.db.write(tx => writeRecord(tx, without))
      expect(await read(kind)).toMatchObject({ sponsorId: null })
      await world.db.write(tx => writeRecord(tx, record))
    }
  })
})

test.each([
  ['http', { url: 'http://ferries.example/' }, '/url'],
  ['credentials', { url: 'https://user:secret@ferries.example/' }, '/url'],
  ['white space', { url: 'https://ferries.example/a b' }, '/url'],
  ['a relative picture', { imageUrl: 'logo.svg' }, '/imageUrl'],
  ['an old language tag', { name: { iw: 'Ferries' } }, '/name/iw'],
  ['a path of the API', { id: 'claim' }, '/id'],
])('a sponsor with %s is refused', (_, members, pointer) => {
  const entry = { id: 'ferries', name: 'Ferries', ...members }
  expect(sponsorKind.faults(entry).map(fault => fault.pointer)).toEqual([pointer])
})
