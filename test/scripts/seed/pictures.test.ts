/** The pictures of the demonstration catalogue. */
import { describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { questIds } from '../../../scripts/seed/demo-quests.ts'
import { pictureUrl } from '../../../scripts/seed/pictures/address.ts'
import { drawPictures } from '../../../scripts/seed/pictures/pictures.ts'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { listOf } from '../../../src/play/shop/products.ts'
import { createClock } from '../../support/clock.ts'
import { engines } from '../../support/engines.ts'
import { options } from './sixty-fans.ts'

const digest = () => hash('sha256', JSON.stringify([...drawPictures()]), 'hex')

test('the pictures have the same bytes each time', () => {
  expect(digest()).toBe(digest())
})

test.each([...drawPictures()])(
  '%s is a drawing of its own, without scripts, styles and links',
  (_, picture) => {
    expect(picture).toStartWith('<svg xmlns="http://www.w3.org/2000/svg" viewBox=')
    expect(picture).not.toMatch(/NaN|undefined|<script|<style|href|url\((?!#)/)
    expect([...drawPictures().values()].filter(other => other === picture)).toHaveLength(1)
  },
)

describe.each(engines)('A seeded catalogue ($name)', engine => {
  test('names a picture for each team, player, sponsor, reward, pack, collectible, product and quest', async () => {
    const { db, remove } = await engine.open(createClock())
    await seedDatabase(db, { ...options, fans: 1 })
    const { teams, players, sponsors, rewards, packs, collectibles, products } = db.tables
    const named = [
      ...(await db.read.select({ url: teams.crestUrl }).from(teams)),
      ...(await db.read.select({ url: players.imageUrl }).from(players)),
      ...(await db.read.select({ url: sponsors.imageUrl }).from(sponsors)),
      ...(await db.read.select({ url: rewards.imageUrl }).from(rewards)),
      ...(await db.read.select({ url: packs.imageUrl }).from(packs)),
      ...(await db.read.select({ url: collectibles.imageUrl }).from(collectibles)),
      ...questIds.map(id => ({ url: pictureUrl('quests', id) })),
      ...(await db.read.select({ images: products.images }).from(products)).flatMap(({ images }) =>
        listOf(images).map(url => ({ url })),
      ),
    ].map(({ url }) => url)
    expect(named.toSorted()).toEqual([...drawPictures().keys()].toSorted())
    await remove()
  })
})
