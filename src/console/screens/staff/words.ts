import type { Data } from '../../api.ts'
import type { Tone } from '../../parts/badge.tsx'

export type StaffData = Data<'listStaff'>
export type PersonData = StaffData['people'][number]
export type Role = PersonData['staff']['role']

export const ROLE_TITLES: Record<Role, string> = {
  support: 'Support',
  editor: 'Editor',
  moderator: 'Moderator',
  finance: 'Finance',
  owner: 'Owner',
}

/** Whether the person can be in the console now, or come in by themselves. */
export const hasAccess = ({ sessions, links, way }: PersonData) =>
  sessions.length > 0 || links.length > 0 || way === 'provider'

export function accessOf({ sessions, links, way }: PersonData): [title: string, tone: Tone] {
  if (sessions.length > 0) return ['Signed in', 'good']
  if (links.length > 0) return ['Link not used', 'warn']
  return way === 'provider' ? ['By the provider', 'info'] : ['No access', 'neutral']
}

/** The message for the person. The secret is after `#`, so that no server on the way receives it with the address. */
export function mailFor(name: string, link: string, until: string): string {
  const subject = 'Your link to the console'
  const text = `Hello ${name},\n\nthis link signs you in to the console of the club. It works once, until ${until}:\n\n${link}\n`
  return `subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(text)}`
}
