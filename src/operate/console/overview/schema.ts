/** Schemas of the overview. */
import { Closed, Instant, Integer, Nullable } from '../../../core/schemas.ts'
import { type Static, Type } from '../../../core/typebox.ts'

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A day, in UTC.' })
const Count = Integer({ minimum: 0 })

const DayFigures = Closed(
  {
    newFans: Integer({ minimum: 0, description: 'Fans who got their record.' }),
    onboardings: Integer({ minimum: 0, description: 'Onboardings that were completed.' }),
    activeFans: Integer({ minimum: 0, description: 'Fans with at least one event.' }),
    pointsGranted: Integer({ minimum: 0, description: 'Without refunds and opening balances.' }),
    pointsSpent: Integer({ minimum: 0, description: 'On packs and orders.' }),
    pointsTaken: Integer({ minimum: 0, description: 'Expired, or taken back.' }),
    claims: Count,
    redemptions: Count,
    orders: Integer({ minimum: 0, description: 'Orders that were paid.' }),
    packs: Integer({ minimum: 0, description: 'Packs that were bought.' }),
  },
  { title: 'DayFigures' },
)

const Waiting = Closed({
  count: Count,
  since: Nullable(Instant('Of the oldest.'), { description: 'Null where nothing waits.' }),
})

const Sum = Closed({ currency: Type.String(), amount: Integer({ description: 'Points, or minor units.' }) })

export const LiveFigures = Closed(
  {
    fans: Integer({ minimum: 0, description: 'Fans with a record, without erased ones.' }),
    today: Closed({ day: Day, ...DayFigures.properties }),
    webhooks: Closed({
      ...Waiting.properties,
      endpoints: Integer({ minimum: 0, description: 'That are enabled.' }),
      disabled: Integer({ minimum: 0, description: 'Endpoints that are disabled.' }),
    }),
    events: Closed(Waiting.properties, { description: 'Events that wait to be distributed.' }),
    refundsDue: Closed({
      sums: Nullable(Type.Array(Sum), { description: 'Null without `orders.read`.' }),
      since: Nullable(Instant('Of the oldest payment.'), { description: 'Null where nothing is due.' }),
    }),
    reports: Waiting,
    backupAt: Nullable(Instant('When the last backup ended.'), { description: 'Null: none was made.' }),
    verifications: Type.Array(
      Closed({
        command: Type.String(),
        finishedAt: Nullable(Instant('When it last found nothing.'), { description: 'Null: never.' }),
      }),
    ),
  },
  { title: 'LiveFigures' },
)
export type LiveFigures = Static<typeof LiveFigures>

/** In days. */
export const PERIODS = ['7', '30', '90'] as const

export const OverviewQuery = Closed({
  days: Type.Optional(
    Type.Union(
      PERIODS.map(period => Type.Literal(period)),
      { description: 'Number of days, including today.', default: '30' },
    ),
  ),
})

export const Overview = Closed(
  {
    days: Type.Array(
      Closed({
        day: Day,
        figures: Nullable(DayFigures, { description: 'Null: not counted yet, or before the first fan.' }),
      }),
      { description: 'The oldest first; today is the last.' },
    ),
    before: Nullable(DayFigures, {
      description: 'Sums of as many days before, without active fans; null where not all are counted.',
    }),
    live: LiveFigures,
  },
  { title: 'Overview' },
)
export type Overview = Static<typeof Overview>
