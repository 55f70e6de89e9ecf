/** What the preview of a draft reads of the entries that the draft names. */
import { expect, test } from 'bun:test'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { fullCatalogue } from '../../club/catalogue/full-catalogue.ts'
import { onEachEngine } from '../../support/world.ts'
import { consoleOf } from '../support.ts'

onEachEngine('GET /api/catalogue/named', world => {
  const { as } = consoleOf(world)
  const id = (name: string) => `named-${name}`
  const read = async (query: Record<string, string>) => {
    const { status, body } = await as('support').get(`/api/catalogue/named?${new URLSearchParams(query)}`)
    expect(status).toBe(200)
    return body
  }

  test('reads texts in the language, or the default one, and leaves out what is not there', async () => {
    await world.db.write(async tx => {
      for (const record of fullCatalogue('named')) await writeRecord(tx, record)
    })
    const none = { teams: [], competitions: [], sponsors: [], players: [], collectibles: [] }
    expect(await read({ lang: 'en' })).toEqual(none)
    const query = {
      teams: `${id('harbour')},nobody`,
      competitions: id('cup'),
      sponsors: [id('ferries'), id('energy')].join(),
      collectibles: id('final'),
      playersOf: id('harbour'),
    }
    const named = await read({ lang: 'ar', ...query })
    expect(named).toMatchObject({
      teams: [{ id: id('harbour'), name: 'هاربور', shortName: 'HAR', crestUrl: null }],
      competitions: [{ id: id('cup'), name: 'Cup' }],
      // The other one is switched off, as one of the players.
      sponsors: [{ id: id('ferries'), name: 'وشاح', url: 'https://ferries.example/' }],
      players: [{ id: id('nine'), name: 'وشاح', imageUrl: '/pictures/n.svg' }],
      collectibles: [{ id: id('final'), name: 'final', rarity: 'final', imageUrl: null }],
    })
    expect([named.teams.length, named.sponsors.length, named.players.length]).toEqual([1, 1, 1])
    expect((await read({ lang: 'pt', ...query })).competitions).toEqual([{ id: id('cup'), name: 'Taça' }])
  })

  test('refuses what is no list of slugs with 422', async () => {
    const { status } = await as('support').get('/api/catalogue/named?lang=en&teams=%3Cb%3E')
    expect(status).toBe(422)
  })
})
