/** Campaigns of codes of a test, and fans who redeem them. */
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import type { CampaignEntry } from '../../../src/play/codes/entry-schema.ts'
import { generateCodes } from '../../../src/play/codes/generate.ts'
import type { Client } from '../../support/client.ts'
import type { World } from '../../support/world.ts'

type Database = Pick<World, 'db'>

let made = 0

/** A running campaign of generated codes for 50 points each, unless `members` say otherwise. */
export async function addCampaign({ db }: Database, members: Partial<CampaignEntry> = {}): Promise<string> {
  const id = `campaign-${String(++made).padStart(4, '0')}`
  const entry: CampaignEntry = { id, name: 'Scarf summer', kind: 'unique', gives: { points: 50 }, ...members }
  await db.write(tx => writeRecord(tx, { kind: 'campaign', entry }))
  return entry.id
}

/** A shared code of its own, and its campaign. */
export async function addShared(world: Database, members: Partial<CampaignEntry> = {}) {
  const code = `DERBY-${String(++made).padStart(4, '0')}`
  return { code, id: await addCampaign(world, { kind: 'shared', code, ...members }) }
}

export const generate = ({ db }: Database, campaignId: string, count = 1): Promise<string[]> =>
  db.write(tx => generateCodes(tx, campaignId, count))

export async function generateOne(world: Database, campaignId: string): Promise<string> {
  const [code = ''] = await generate(world, campaignId)
  return code
}

export const redeem = (fan: Client, code: string) => fan.post('/api/codes', { code })

/** The status of success, else the code of the problem. */
export async function outcomeOf(fan: Client, code: string): Promise<number | string> {
  const { status, body } = await redeem(fan, code)
  return body.code ?? status
}
