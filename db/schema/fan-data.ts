/** The effects of export, erasure and merge of a fan, by table and column, and the columns that point to a fan. */
import type { PgTable } from 'drizzle-orm/pg-core'
import { fanData as pictures } from './club/pictures.ts'
import { fanData as segments } from './club/segments.ts'
import { fanData as preferences } from './delivery/preferences.ts'
import { fanData as push } from './delivery/push.ts'
import { fanData as webhooks } from './delivery/webhooks.ts'
import { fanData as accounts } from './economy/accounts.ts'
import { fanData as cash } from './economy/cash.ts'
import { fanData as events } from './economy/events.ts'
import { fanData as leaderboard } from './economy/leaderboard.ts'
import { fanData as points } from './economy/points.ts'
import { fanData as rules } from './economy/rules.ts'
import { fanData as account } from './fan/account.ts'
import { fanData as consents } from './fan/consents.ts'
import { fanData as messages } from './fan/messages.ts'
import { fanData as moderation } from './fan/moderation.ts'
import { fanData as referrals } from './fan/referrals.ts'
import { fanData as season } from './figures/season.ts'
import { fanData as auth } from './identity/auth.ts'
import { fanData as publicText } from './identity/public-text.ts'
import { fanData as relations } from './identity/relations.ts'
import { fanData as sanctions } from './identity/sanctions.ts'
import { fanData as users } from './identity/users.ts'
import { fanData as http } from './platform/http.ts'
import { fanData as checkIns } from './play/check-ins.ts'
import { fanData as codes } from './play/codes.ts'
import { fanData as divisions } from './play/divisions.ts'
import { fanData as leagues } from './play/leagues.ts'
import { fanData as lockers } from './play/lockers.ts'
import { fanData as memberships } from './play/memberships.ts'
import { fanData as packs } from './play/packs.ts'
import { fanData as predictions } from './play/predictions.ts'
import { fanData as questions } from './play/questions.ts'
import { fanData as quests } from './play/quests.ts'
import { fanData as rewards } from './play/rewards.ts'
import { fanData as sets } from './play/sets.ts'
import { fanData as shop } from './play/shop.ts'
import { fanData as topUps } from './play/top-ups.ts'
import { fanData as trades } from './play/trades.ts'
import { fanData as wallets } from './play/wallets.ts'
import { shapeOf } from './shape.ts'

export const fanData = {
  ...http,
  ...users,
  ...auth,
  ...relations,
  ...publicText,
  ...sanctions,
  ...leaderboard,
  ...accounts,
  ...points,
  ...rules,
  ...events,
  ...wallets,
  ...cash,
  ...memberships,
  ...rewards,
  ...packs,
  ...shop,
  ...topUps,
  ...sets,
  ...leagues,
  ...divisions,
  ...lockers,
  ...trades,
  ...checkIns,
  ...predictions,
  ...questions,
  ...quests,
  ...codes,
  ...pictures,
  ...segments,
  ...moderation,
  ...referrals,
  ...consents,
  ...account,
  ...messages,
  ...preferences,
  ...webhooks,
  ...push,
  ...season,
}

/**
 * The columns that point to a fan, as `TABLE.COLUMN`: foreign keys to `users`, `userId` without a foreign key, and the
 * provider's `subject`.
 */
export function listFanColumns(tables: Record<string, PgTable>): string[] {
  return Object.entries(tables).flatMap(([name, table]) => {
    const { columns, references } = shapeOf(table)
    const toUsers = references.filter(({ parent }) => parent === 'users').flatMap(({ from }) => from)
    const fanColumns = ['subject', 'userId', ...toUsers]
    const own = columns.filter(({ property }) => fanColumns.includes(property))
    return own.map(({ property }) => `${name}.${property}`)
  })
}
