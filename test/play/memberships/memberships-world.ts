/** A ticket office that writes memberships of fans. */
import { membershipKind } from '../../../src/play/memberships/membership-kind.ts'
import type { Client } from '../../support/client.ts'
import type { World } from '../../support/world.ts'

type Kind = Parameters<typeof membershipKind.upsert>[1]

export const addMembershipKind = (world: World, entry: Partial<Kind> = {}): Promise<unknown> =>
  world.db.write(tx => membershipKind.upsert(tx, { id: 'season-ticket', name: 'Season ticket', ...entry }))

let made = 0

export async function ticketOffice(world: World): Promise<Client> {
  return world.withToken(await world.serverKey(['memberships:write'], { source: `ticket-office-${++made}` }))
}

export interface TermsOfMembership {
  ref?: string
  kindId?: string
  number?: string
  holder?: string
  startsAt: string
  endsAt: string
}

/** Writes a membership of the fan, of an own ref by default. */
export function putMembership(
  office: Client,
  world: World,
  { subject }: { subject: string },
  { ref = `ST-${++made}`, kindId = 'season-ticket', ...terms }: TermsOfMembership,
) {
  const fan = { provider: world.config.identity.name, subject }
  return office.put(`/api/memberships/${ref}`, { fan, kindId, ...terms })
}

export const endMembership = (office: Client, ref: string) =>
  office.send(`/api/memberships/${ref}`, { method: 'DELETE' })
