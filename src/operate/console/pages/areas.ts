/** The areas of the console: what the navigation and the palette list, in their order. */
import type { IconName } from './parts/icon.tsx'

export interface Area {
  /** First part of the address; empty for the overview. */
  path: string
  title: string
  icon: IconName
  group: 'Today' | 'Club' | 'System'
}

export const AREAS = [
  { path: '', title: 'Overview', icon: 'overview', group: 'Today' },
  { path: 'fans', title: 'Fans', icon: 'fans', group: 'Today' },
  { path: 'desk', title: 'Desk', icon: 'desk', group: 'Today' },
  { path: 'match-day', title: 'Match day', icon: 'matchDay', group: 'Today' },
  { path: 'moderation', title: 'Moderation', icon: 'moderation', group: 'Today' },
  { path: 'orders', title: 'Orders', icon: 'orders', group: 'Club' },
  { path: 'catalogue', title: 'Catalogue', icon: 'catalogue', group: 'Club' },
  { path: 'webhooks', title: 'Webhooks', icon: 'webhooks', group: 'System' },
  { path: 'keys', title: 'Server keys', icon: 'keys', group: 'System' },
  { path: 'jobs', title: 'Jobs', icon: 'jobs', group: 'System' },
  { path: 'audit', title: 'Audit log', icon: 'audit', group: 'System' },
] as const satisfies Area[]
