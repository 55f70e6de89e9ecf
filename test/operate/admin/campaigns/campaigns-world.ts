/** Campaigns for tests. */
import type { Database } from '../../../../db/index.ts'
import type { NotificationEntry } from '../../../../src/club/notifications/notification-kind.ts'
import { segmentKind } from '../../../../src/club/segments/segment-kind.ts'
import { startCampaign, stopCampaign } from '../../../../src/operate/admin/campaigns/campaigns.ts'
import { previewCampaign } from '../../../../src/operate/admin/campaigns/preview.ts'
import { reportCampaign } from '../../../../src/operate/admin/campaigns/report.ts'
import { runCampaigns } from '../../../../src/operate/admin/campaigns/run.ts'
import { unique } from '../../../economy/rules/rules-world.ts'
import { addNotification, knownFan } from '../../../fan/messages/messages-world.ts'
import { liveIn } from '../../../play/eligibility/eligibility-world.ts'
import type { World } from '../../../support/world.ts'

/** A campaign to the fans of a country. It is due. */
export async function addCampaign(world: World, country: string, more: Partial<NotificationEntry> = {}) {
  const id = unique('campaign')
  const segment = unique('segment')
  const when = [{ fact: 'country', op: 'eq' as const, value: country }]
  const editSegment = (entry: object = {}) =>
    world.db.write(tx => segmentKind.upsert(tx, { id: segment, name: segment, when, ...entry }))
  await editSegment()
  const edit = (entry: Partial<NotificationEntry> = {}) =>
    addNotification(world, {
      ...{ id, at: '2020-01-01T00:00:00Z', eventType: null, segment, category: 'rewards' },
      ...{ title: `Title of ${id}`, body: 'Body', ...more, ...entry },
    })
  await edit()
  return {
    id,
    title: `Title of ${id}`,
    edit,
    editSegment,
    start: (previewed?: string) => world.db.write(tx => startCampaign(tx, id, previewed)),
    stop: () => world.db.write(tx => stopCampaign(tx, id)),
    preview: () => previewCampaign(world.db.read, id),
    report: () => reportCampaign(world.db.read, id),
  }
}

export const run = (world: World, size = 3) => runCampaigns(world, { size })

/** Something else happens after the unit of work with this number: the first one fixes the fans. */
export function runWith(world: World, after: number, happens: () => Promise<unknown>) {
  let writes = 0
  const write: Database['write'] = async work => {
    const result = await world.db.write(work)
    if (++writes === after) await happens()
    return result
  }
  return runCampaigns({ db: { ...world.db, write } }, { size: 3 })
}

export async function fanIn(world: World, country: string, profile: object = {}) {
  const fan = await knownFan(world, profile)
  await liveIn(fan, country)
  return fan
}

export const fansIn = (world: World, country: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => fanIn(world, country)))
