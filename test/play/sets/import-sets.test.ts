/** Sets of a catalogue file: what is refused, and what an import changes. */
import { expect, test } from 'bun:test'
import { planRecord, recordFaults } from '../../../src/play/catalogue-file/kinds.ts'
import type { SetEntry } from '../../../src/play/sets/set-kind.ts'
import { onEachEngine } from '../../support/world.ts'
import { addCollectibles, addSet, entryOf, importSet, record } from './sets-world.ts'

onEachEngine('The import of a set', world => {
  const plan = (entry: SetEntry, written?: string[]) =>
    planRecord(world.db.read, record(entry), { written: new Set(written) })

  /** The changes of an import, as planned and as written. */
  async function change(entry: SetEntry) {
    const planned = await plan(entry)
    expect(await importSet(world, entry)).toEqual(planned)
    return planned
  }

  const errorsOf = (entry: SetEntry, written?: string[]) =>
    plan(entry, written).then(
      () => [],
      error => error.explanation.errors,
    )

  test('shows each difference, and changes nothing the second time', async () => {
    const rewardId = await world.reward()
    const ids = await addCollectibles(world, 3)
    const entry = entryOf(ids.slice(0, 2), { reward: { points: 5 } })
    expect(await change(entry)).toEqual({ outcome: 'created', members: {} })
    expect(await change(entry)).toEqual({ outcome: 'unchanged', members: {} })
    const collectibleIds = ids.toReversed()
    const next = { ...entry, name: { en: 'Derby', pt: 'Dérbi' }, collectibleIds, reward: { rewardId } }
    expect(await change(next)).toEqual({
      outcome: 'changed',
      members: {
        name: ['Derby moments', { en: 'Derby', pt: 'Dérbi' }],
        collectibleIds: [ids.slice(0, 2), collectibleIds],
        reward: [
          { points: 5, rewardId: null },
          { points: 0, rewardId },
        ],
      },
    })
    expect(await change({ ...next, active: false })).toMatchObject({ members: { active: [true, false] } })
    expect(await change({ ...next, active: false })).toMatchObject({ outcome: 'unchanged' })
  })

  test('refuses collectibles and rewards that are neither stored nor stated before', async () => {
    const [known = ''] = await addCollectibles(world, 1)
    const entry = entryOf([known, 'no-such-moment'], { reward: { rewardId: 'no-such-reward' } })
    expect(await errorsOf(entry)).toEqual([
      {
        pointer: '/collectibleIds/1',
        message: 'must be a collectible that is stored, or stated before this set',
      },
      { pointer: '/reward/rewardId', message: 'must be a reward that is stored, or stated before this set' },
    ])
    expect(await errorsOf(entry, ['collectibles no-such-moment', 'rewards no-such-reward'])).toEqual([])
    await expect(importSet(world, entry)).rejects.toThrow('catalogue')
  })

  test('refuses ids that are paths, and language tags that are not canonical', async () => {
    const { collectibleIds } = await addSet(world)
    const entry = entryOf(collectibleIds, { id: 'claim', name: { en: 'Derby', iw: 'דרבי' } })
    expect(recordFaults(record(entry)).map(({ pointer }) => pointer)).toEqual(['/id', '/name/iw'])
  })
})
