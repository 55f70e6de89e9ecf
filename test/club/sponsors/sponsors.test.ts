/** Sponsors: the public list, and what an entry may state. */
import { expect, test } from 'bun:test'
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
