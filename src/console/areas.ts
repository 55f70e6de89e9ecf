/** The areas of the console, in the order of the navigation and the palette. */
import type { IconName } from './parts/icon.tsx'
import type { Permission } from './session.ts'

export interface Area {
  /** First part of the address; empty for the overview. */
  path: string
  title: string
  icon: IconName
  group: 'Today' | 'Club' | 'System'
  /** Without it the area is not shown. */
  permission: Permission
}

export const AREAS = [
  { path: '', title: 'Overview', icon: 'overview', group: 'Today', permission: 'overview.read' },
  { path: 'fans', title: 'Fans', icon: 'fans', group: 'Today', permission: 'fans.read' },
  { path: 'desk', title: 'Desk', icon: 'desk', group: 'Today', permission: 'desk.use' },
  { path: 'match-day', title: 'Match day', icon: 'matchDay', group: 'Today', permission: 'matches.read' },
  {
    path: 'moderation',
    title: 'Moderation',
    icon: 'moderation',
    group: 'Today',
    permission: 'moderation.read',
  },
  { path: 'season', title: 'Season', icon: 'season', group: 'Club', permission: 'season.read' },
  { path: 'orders', title: 'Orders', icon: 'orders', group: 'Club', permission: 'orders.read' },
  { path: 'catalogue', title: 'Catalogue', icon: 'catalogue', group: 'Club', permission: 'catalogue.read' },
  {
    path: 'campaigns',
    title: 'Message campaigns',
    icon: 'send',
    group: 'Club',
    permission: 'campaigns.read',
  },
  { path: 'webhooks', title: 'Webhooks', icon: 'webhooks', group: 'System', permission: 'webhooks.read' },
  { path: 'keys', title: 'Server keys', icon: 'keys', group: 'System', permission: 'keys.read' },
  { path: 'jobs', title: 'Jobs', icon: 'jobs', group: 'System', permission: 'jobs.read' },
  {
    path: 'approvals',
    title: 'Approvals',
    icon: 'check',
    group: 'System',
    permission: 'approvals.decide',
  },
  { path: 'staff', title: 'Staff', icon: 'staff', group: 'System', permission: 'staff.write' },
  { path: 'audit', title: 'Audit log', icon: 'audit', group: 'System', permission: 'audit.read' },
] as const satisfies Area[]
