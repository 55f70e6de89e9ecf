import type { Category } from '../../club/notifications/categories.ts'
import { Formatted } from '../../core/formats.ts'
import { Closed, Nullable } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { isTimeZone } from '../../core/windows.ts'

const Push = Type.Boolean({ description: 'Whether devices get them.' })
const Inbox = Type.Boolean({ description: 'Whether the inbox gets them.' })
const AlwaysInInbox = Type.Literal(true, { description: 'They cannot be switched off in the inbox.' })

const ABOUT: Record<Category, string> = {
  account: 'The account, decisions of the club about it, memberships and tiers.',
  orders: 'Orders of the shop.',
  rewards: 'Rewards and points.',
  match: 'Matches, predictions and questions.',
  social: 'Other fans: trades and leagues.',
  marketing:
    'What the club advertises. Off until the fan switches it on, and sent only while the fan consents to `marketing`.',
}

const Switch = (category: Category) => Closed({ push: Push, inbox: Inbox }, { description: ABOUT[category] })
const FixedSwitch = (category: Category) =>
  Closed({ push: Push, inbox: AlwaysInInbox }, { description: ABOUT[category] })

const Change = (category: Category) =>
  Type.Optional(
    Closed({ push: Type.Optional(Push), inbox: Type.Optional(Inbox) }, { description: ABOUT[category] }),
  )
const FixedChange = (category: Category) =>
  Type.Optional(
    Closed(
      { push: Type.Optional(Push), inbox: Type.Optional(AlwaysInInbox) },
      { description: ABOUT[category] },
    ),
  )

const Time = (description: string) =>
  Type.String({
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    description,
    errorNoun: 'a time like 22:00',
  })

const Quiet = Closed({
  from: Time('Local time, inclusive.'),
  to: Time('Local time, exclusive. Earlier than `from`: of the next day.'),
})
const QUIET = 'In these hours no device gets a message: it is sent when they end. Null: there are none.'
const TIME_ZONE = 'The IANA time zone of the fan. Null: that of the club.'

export const NotificationPreferences = Closed(
  {
    account: FixedSwitch('account'),
    orders: FixedSwitch('orders'),
    rewards: Switch('rewards'),
    match: Switch('match'),
    social: Switch('social'),
    marketing: Switch('marketing'),
    quiet: Nullable(Quiet, { description: QUIET }),
    timeZone: Nullable(Type.String(), { description: TIME_ZONE }),
  },
  { title: 'NotificationPreferences', description: 'Which messages the fan gets, and how.' },
)
export type NotificationPreferences = Static<typeof NotificationPreferences>

export const NotificationPreferencesChange = Closed(
  {
    account: FixedChange('account'),
    orders: FixedChange('orders'),
    rewards: Change('rewards'),
    match: Change('match'),
    social: Change('social'),
    marketing: Change('marketing'),
    quiet: Type.Optional(
      Nullable(Quiet, {
        description: QUIET,
        errorNoun: 'two times such as {"from": "22:00", "to": "07:30"}, or null',
      }),
    ),
    timeZone: Type.Optional(
      Nullable(
        Formatted('time-zone', isTimeZone, {
          maxLength: 64,
          description: TIME_ZONE,
          errorNoun: 'an IANA time zone like Europe/London',
          documentedAs: { type: 'string', maxLength: 64, examples: ['Europe/London'] },
        }),
        { description: TIME_ZONE },
      ),
    ),
  },
  {
    title: 'NotificationPreferencesChange',
    description: 'An omitted member keeps its value; null clears it.',
  },
)
export type NotificationPreferencesChange = Static<typeof NotificationPreferencesChange>

export const examplePreferences: NotificationPreferences = {
  account: { push: true, inbox: true },
  orders: { push: true, inbox: true },
  rewards: { push: true, inbox: true },
  match: { push: true, inbox: true },
  social: { push: false, inbox: true },
  marketing: { push: false, inbox: false },
  quiet: { from: '22:00', to: '07:30' },
  timeZone: 'Europe/London',
}
