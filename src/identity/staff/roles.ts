/** The permissions of roles in the console, defined only here. docs/console.md has them as a table. */
import type { TwoPersonGroup } from '../../platform/config/two-person.ts'

/** `support`: the desk and the hotline. `editor`: the catalogue. `owner`: everything. */
export const ROLES = ['support', 'editor', 'moderator', 'finance', 'owner'] as const
export type Role = (typeof ROLES)[number]

const everyone: readonly Role[] = ROLES

interface Rule {
  /** What it allows, for the documentation. */
  about: string
  roles: readonly Role[]
  /**
   * If `CONSOLE_TWO_PERSON` contains one of these groups, another person with the permission must confirm writes, unless
   * their declaration says why one person is enough (`onePerson`). `money`: actions that can create points, cash, goods, or
   * a key with such power.
   */
  twoPerson: readonly TwoPersonGroup[]
}

export const PERMISSIONS = {
  'session.own': { about: 'Sign out; see who they are', roles: everyone, twoPerson: [] },
  'overview.read': { about: 'See the figures of the club', roles: everyone, twoPerson: [] },
  'season.read': {
    about: 'See the season: steps, retention, points, results, stock',
    roles: everyone,
    twoPerson: [],
  },
  'season.money': {
    about: 'See sums of money and the worth of points of the season',
    roles: ['finance', 'owner'],
    twoPerson: [],
  },
  'fans.read': {
    about: 'Find fans and read what they did',
    roles: ['support', 'moderator', 'finance', 'owner'],
    twoPerson: [],
  },
  'fans.personal': {
    about: 'See the e-mail addresses, names at the provider, codes and event data of fans',
    roles: ['support', 'owner'],
    twoPerson: [],
  },
  'fans.write': {
    about: 'End sessions, rename, correct a fan',
    roles: ['support', 'owner'],
    twoPerson: ['money'],
  },
  'fans.export': { about: 'Export what is stored about a fan', roles: ['support', 'owner'], twoPerson: [] },
  'fans.merge': { about: 'Merge two fans', roles: ['owner'], twoPerson: ['money', 'erasure'] },
  'fans.erase': { about: 'Erase a fan', roles: ['owner'], twoPerson: ['erasure'] },
  'points.write': {
    about: 'Grant and void points',
    roles: ['support', 'finance', 'owner'],
    twoPerson: ['money'],
  },
  'catalogue.read': { about: 'Read the catalogue and its history', roles: everyone, twoPerson: [] },
  'catalogue.write': {
    about: 'Change and schedule the catalogue',
    roles: ['editor', 'owner'],
    twoPerson: ['money'],
  },
  'campaigns.read': {
    about: 'See campaigns of messages, with previews and reports',
    roles: everyone,
    twoPerson: [],
  },
  'campaigns.write': {
    about: 'Start and stop campaigns of messages',
    roles: ['editor', 'owner'],
    twoPerson: ['campaigns'],
  },
  'desk.use': { about: 'Look up and use redemption codes', roles: ['support', 'owner'], twoPerson: [] },
  'moderation.read': {
    about: 'Read reports and cases',
    roles: ['support', 'moderator', 'owner'],
    twoPerson: [],
  },
  'moderation.write': {
    about: 'Decide reports and appeals, hide, suspend',
    roles: ['moderator', 'owner'],
    twoPerson: [],
  },
  'matches.read': { about: 'Read matches and their settlement', roles: everyone, twoPerson: [] },
  'matches.write': {
    about: 'Enter scores and states of matches',
    roles: ['editor', 'owner'],
    twoPerson: ['money'],
  },
  'gate.show': {
    about: 'Show the code at the gate, by which fans check in',
    roles: ['support', 'editor', 'owner'],
    twoPerson: [],
  },
  'orders.read': {
    about: 'Read orders and payments, and see amounts of money of fans',
    roles: ['support', 'finance', 'owner'],
    twoPerson: [],
  },
  'orders.write': { about: 'Ship lines of orders', roles: ['support', 'finance', 'owner'], twoPerson: [] },
  'refunds.write': { about: 'Refund payments', roles: ['finance', 'owner'], twoPerson: ['money'] },
  'webhooks.read': { about: 'Read endpoints and attempts', roles: ['owner'], twoPerson: [] },
  'webhooks.write': { about: 'Change endpoints, send again', roles: ['owner'], twoPerson: [] },
  'keys.read': { about: 'List server keys', roles: ['owner'], twoPerson: [] },
  'keys.write': { about: 'Create, rotate and revoke server keys', roles: ['owner'], twoPerson: ['money'] },
  'jobs.read': {
    about: 'See background tasks, backups, verifications',
    roles: ['finance', 'owner'],
    twoPerson: [],
  },
  'jobs.write': { about: 'Run verifications, imports and backups', roles: ['owner'], twoPerson: ['money'] },
  'approvals.decide': {
    about: 'See, confirm and refuse what waits for a second person',
    roles: ['support', 'editor', 'finance', 'owner'],
    twoPerson: [],
  },
  'audit.read': { about: 'Read and export the audit log', roles: ['finance', 'owner'], twoPerson: [] },
  'staff.write': {
    about: 'Invite staff, change their roles, end their access',
    roles: ['owner'],
    twoPerson: ['money', 'erasure'],
  },
} as const satisfies Record<string, Rule>

export type Permission = keyof typeof PERMISSIONS

// Guarantee of the cast: an object without symbols has its own names alone.
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[]

export const isRole = (text: string): text is Role => everyone.includes(text as Role)

export const mayDo = (role: Role, permission: Permission): boolean => ruleOf(permission).roles.includes(role)

/** Amounts of money of fans: orders, payments, cash and refunds. Sums of the season have a permission of their own. */
export const seesMoney = (role: Role): boolean => mayDo(role, 'orders.read')

export const permissionsOf = (role: Role): Permission[] =>
  PERMISSION_NAMES.filter(permission => mayDo(role, permission))

/** The groups of `CONSOLE_TWO_PERSON` that the permission belongs to. */
export const twoPersonGroupsOf = (permission: Permission): readonly TwoPersonGroup[] =>
  ruleOf(permission).twoPerson

/** Whether a person in this role can do, or confirm, what may need two people. */
export const hasTwoPersonPermission = (role: Role): boolean =>
  permissionsOf(role).some(permission => twoPersonGroupsOf(permission).length > 0)

const ruleOf = (permission: Permission): Rule => PERMISSIONS[permission]
