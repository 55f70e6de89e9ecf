/** Fans with handles, and what they are to each other. */
import { insertRows } from '../../../db/bulk.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import type { Client } from '../../support/client.ts'
import type { Fan, World } from '../../support/world.ts'

export interface NamedFan extends Fan {
  id: string
  handle: string
}

let named = 0

/** A fan with a handle and a name of their own. */
export async function namedFan(world: World): Promise<NamedFan> {
  const fan = await world.fan()
  const handle = `fan_${++named}_${fan.subject.replace(/\W/g, '_')}`.slice(0, 20)
  const names = { handle, displayName: `Name of ${handle}`, avatarUrl: `https://pictures.example/${handle}` }
  const { id } = await fan.post('/api/user/profile', names).then(({ body }) => body)
  return { ...fan, id, handle }
}

type Kind = 'following' | 'blocks' | 'mutes'

export const put = (fan: Client, kind: Kind, handle: string) => fan.put(`/api/user/${kind}/${handle}`)

export const remove = (fan: Client, kind: Kind, handle: string) =>
  fan.send(`/api/user/${kind}/${handle}`, { method: 'DELETE' })

export const follow = async (fan: Client, handle: string) =>
  expectStatus(204, await put(fan, 'following', handle))

export const block = async (fan: Client, handle: string) =>
  expectStatus(204, await put(fan, 'blocks', handle))

/** The handles on all pages of a list. */
export async function handlesOf(fan: Client, list: Kind | 'followers', limit = 100): Promise<string[]> {
  const handles: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await fan.get(`/api/user/${list}?limit=${limit}${cursor && `&cursor=${cursor}`}`)
    handles.push(...expectStatus(200, page).fans.map(({ handle }: { handle: string }) => handle))
    cursor = page.body.nextCursor
  }
  return handles
}

/** Makes a fan who follows nobody follow `count` new fans, who have no handles. */
export function followStrangers({ db, clock }: World, fanId: string, count: number): Promise<void> {
  const at = clock.now()
  const known = Array.from({ length: count }, (_, n) => `known-${fanId}-${n}`)
  return db.write(async tx => {
    const { users, fanRelations, followCounts } = tx.tables
    const record = { provider: 'elsewhere', createdAt: at, updatedAt: at }
    await insertRows(
      tx,
      users,
      known.map(id => ({ ...record, id, subject: id })),
    )
    await insertRows(
      tx,
      fanRelations,
      known.map(otherId => ({ fanId, otherId, followedAt: at })),
    )
    await tx.insert(followCounts).values({ userId: fanId, following: known.length })
  })
}
