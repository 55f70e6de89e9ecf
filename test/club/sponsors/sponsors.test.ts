/** Sponsors: the public list, and what an entry may state. */
import { expect, test } from 'bun:test'
import { sponsorKind } from '../../../src/club/sponsors/sponsor-kind.ts'
import { onEachEngine } from '../../support/world.ts'

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
